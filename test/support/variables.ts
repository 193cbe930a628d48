/** The variables that the tests in the Workers runtime run with. */
export const variables = {
  DEVELOPMENT: 'on',
  JWT_SECRET: 'a secret of the tests, known to nobody else',
  S3_ENDPOINT: 'local',
  S3_ACCESS_KEY_ID: 'local-access-key',
  S3_SECRET_ACCESS_KEY: 'local-secret-key',
  // Most tests expect that the job removes objects at once. test/jobs/content-grace.test.ts covers the grace period.
  CONTENT_GRACE_DAYS: '0',
}
