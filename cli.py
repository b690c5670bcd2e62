from abcnn.commands import main

main(prog_name="abcnn")
