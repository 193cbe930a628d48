/** What checks are given, and how they say that something else came. */

/** Variables of the environment that some checks need. */
export const needs = {
  STAGING_ORIGIN: 'a web origin that the settings allow, as in https://game.example',
  STAGING_SERVICE_TOKEN: 'a token with the scope notifications:publish',
  STAGING_EXPIRED_TOKEN: 'a token of your login that has expired',
  STAGING_FOREIGN_TOKEN: 'a token of your login for another audience',
}
export type Need = keyof typeof needs

/** Something else came than what must. */
export class Wrong extends Error {}

/** @throws Wrong with what came, unless it is as it must be */
export function must(isRight: boolean, came: string): string {
  if (!isRight) throw new Wrong(came)
  return came
}
