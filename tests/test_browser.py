"""The browser of the tests itself."""


def test_requests_are_those_of_the_page_and_not_of_the_browser(browser, tmp_path):
    """The page of Chromium's first tab may still ask for its parts when a test opens another."""
    browser.driver.get("chrome://version")
    browser.requests()  # those of a test before it
    browser.driver.get("chrome://version")
    assert browser.requests() == []
    page, picture = tmp_path / "page.html", "http://127.0.0.1:9/picture.png"
    page.write_text(f"<img src='{picture}'>")
    browser.open(page)
    assert browser.requests() == [page.as_uri(), picture]
