/** The variables that the tests in the Workers runtime run with. */
export const variables = {
  DEVELOPMENT: 'on',
  JWT_SECRET: 'a secret of the tests, known to nobody else',
  S3_ENDPOINT: 'local',
  S3_ACCESS_KEY_ID: 'local-access-key',
  S3_SECRET_ACCESS_KEY: 'local-secret-key',
  // Most tests look whether objects are gone when the job has run. test/jobs/content-grace.test.ts has what stays.
  CONTENT_GRACE_DAYS: '0',
}
