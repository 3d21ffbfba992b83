"""`linkwork studio`: a local server of one page. Tabs of the browser have a process each, which computes for them.

The server process computes nothing: it checks who asks (`safety`), and hands requests to the worker of a tab (`tabs`).
A worker holds a document (`document`), the model made of it (`mechanism`), its runs, and answers `verbs`.
"""
