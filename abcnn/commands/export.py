"""`abcnn export`: a bundle's model for other programs and machines."""

from __future__ import annotations

import click


@click.command(
    "export", epilog="Example: abcnn export runs/demo/paraphrase --format numpy -o runs/exported"
)
@click.argument("folder", type=click.Path())
@click.option(
    "--format",
    "form",
    type=click.Choice(["numpy", "onnx", "saved_model", "litert"]),
    required=True,
    help="What the network becomes. `abcnn.runtime.load` scores text with numpy and onnx, without "
    "TensorFlow.",
)
@click.option("-o", "--output", type=click.Path(), required=True, help="Folder to write.")
@click.option(
    "--vectors",
    type=click.Choice(["float32", "float16", "int8"]),
    default="float32",
    help="How the word vectors are stored; int8 has a scale a row.",
)
@click.option("--force", is_flag=True, help="Replace the folder if it exists.")
def command(folder: str, form: str, output: str, vectors: str, force: bool) -> None:
    """Write the model of the bundle in FOLDER in another form.

    Beside it lie the vocabulary, labels, threshold and a README that says how to score. Batch size
    and sentence lengths are free; the inputs are left, right and features, the output is logits.
    """
    from abcnn.export import export_bundle

    size = export_bundle(folder, output, form, vectors=vectors, replace=force)
    click.echo(f"{output}: {form}, word vectors as {vectors}, {size / 1e6:.1f} MB", err=True)
