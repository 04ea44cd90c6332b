"""An engine of single numbers, in the style that many courses teach: each operation leaves a closure."""


class Value:
    def __init__(self, data, children=()):
        self.data, self.grad = float(data), 0.0
        self.children, self._backward = children, lambda: None

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other))

        def back():
            self.grad += out.grad
            other.grad += out.grad

        out._backward = back
        return out

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other))

        def back():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out._backward = back
        return out

    def __pow__(self, n):
        out = Value(self.data**n, (self,))

        def back():
            self.grad += n * self.data ** (n - 1) * out.grad

        out._backward = back
        return out

    __radd__, __rmul__ = __add__, __mul__
    __neg__ = lambda self: self * -1
    __sub__ = lambda self, other: self + -other
    __rsub__ = lambda self, other: -self + other
    __truediv__ = lambda self, other: self * other**-1
    __rtruediv__ = lambda self, other: self**-1 * other

    def backward(self):
        order, seen = [], set()

        def visit(value):
            if value not in seen:
                seen.add(value)
                for child in value.children:
                    visit(child)
                order.append(value)

        visit(self)
        self.grad = 1.0
        for value in reversed(order):
            value._backward()
