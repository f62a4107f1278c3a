"""Court papers of a stored episode: transcript, judgment, complaint, answer, notes of a deliberation.

Whoever reads a trial wants it on paper as courts set it. One model (`paper`), built from what was said and from the
heads of the case file (`made`), and three writers (`as_docx`, `as_pdf`, `as_html`). Nothing here judges, and no gold
is read.
"""
