"""The one exception that carries a message meant for the user."""


class UserError(Exception):
    """Something that the user can put right: one line that says what, where and what to do."""
