"""The paper run rehearsed: every source small, in its real container, served as upstream does."""
