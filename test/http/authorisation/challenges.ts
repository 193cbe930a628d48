const refused = (detail: string) => `Bearer error="invalid_token", error_description="${detail}"`

/** What is wrong with a token, as the challenge says it: no detail of a claim before the signature is right. */
export const wrong = {
  notThreeParts: (parts: number) => refused(`The token is not a signed JWT: it has ${parts} of three parts.`),
  encrypted: refused('The token is not a signed JWT: it is encrypted (a JWE of five parts).'),
  malformed: refused('The header or the signature of the token is malformed.'),
  signature: refused('The signature of the token is wrong: another key signed it, or it was changed.'),
  extension: refused("The token has an extension that is not known here ('crit')."),
  noKey: refused("The key set of the login has no key for this token ('kid', 'alg')."),
  algorithm: (allowed: string) =>
    refused(`The algorithm of the token ('alg') is not one of those allowed: ${allowed}.`),
  expired: refused("The token has expired ('exp')."),
  notYet: refused("The token is not valid yet ('nbf')."),
  missing: (claim: string, meaning: string) => refused(`The token has no '${claim}' (${meaning}).`),
  time: (claim: string, hint = '') => refused(`The '${claim}' of the token is not in Unix seconds${hint}.`),
  notNumber: (claim: string, kind: string) =>
    refused(`The '${claim}' of the token is ${kind} and not a number (Unix seconds).`),
  issuer: (hint = '') => refused(`The 'iss' of the token is not equal to JWT_ISSUER${hint}.`),
  audience: refused("The 'aud' of the token does not contain JWT_AUDIENCE."),
  bound: (kind: string) =>
    refused(`The 'max_rating' of the token is ${kind} and not one of everyone, teen, mature.`),
  subject: (reason: string) => refused(`The 'sub' of the token (the user id) ${reason}.`),
}
/** The hint for a time that is too large by a factor of a thousand. */
export const MILLISECONDS = ': it looks like milliseconds'
/** For a header that holds something else than one token. */
export const MISSHAPEN = refused("The Authorization header is not of the form 'Bearer ACCESS_TOKEN'.")
/** Who brings nothing has made no mistake yet. */
export const NOTHING = 'Bearer'
