"""What users import: Jobplane, the job decorator, Context. The names themselves are in `jobplane`."""
