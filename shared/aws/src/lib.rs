//! The ports on AWS: DynamoDB, SQS, Secrets Manager, S3.
