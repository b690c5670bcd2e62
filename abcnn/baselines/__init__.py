"""What every figure is to be read against: guesses and simple models, without a network."""

from abcnn.baselines.files import baseline_files
from abcnn.baselines.measuring import BASELINES, Baseline, measure_baselines

__all__ = ["BASELINES", "Baseline", "baseline_files", "measure_baselines"]
