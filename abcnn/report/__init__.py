"""A page on how a model does on a file of labelled pairs."""

from abcnn.report.make import make_report
from abcnn.report.page import report_page
from abcnn.report.records import Case, Measured, Report, Slices

__all__ = ["Case", "Measured", "Report", "Slices", "make_report", "report_page"]
