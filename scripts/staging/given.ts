/** The environment variables of checks, and the error of a failed check. */

/** The environment variables that some checks need, with their meaning. */
export const needs = {
  STAGING_ORIGIN: 'a web origin that the settings allow, as in https://game.example',
  STAGING_SERVICE_TOKEN: 'a token with the scope notifications:publish',
  STAGING_EXPIRED_TOKEN: 'a token of your login that has expired',
  STAGING_FOREIGN_TOKEN: 'a token of your login for another audience',
}
export type Need = keyof typeof needs

/** A check had another outcome than expected. */
export class Wrong extends Error {}

/** Returns the outcome. @throws Wrong with the outcome, unless it is right */
export function must(isRight: boolean, came: string): string {
  if (!isRight) throw new Wrong(came)
  return came
}
