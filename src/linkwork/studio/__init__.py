"""Studio: looks of a mechanism in motion. It reads results and shapes; nothing below knows that it exists."""
