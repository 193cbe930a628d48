/** Where players and copies of the database are in `npm run bench -- distance`. */
export const cities = ['Frankfurt', 'Virginia', 'São Paulo', 'Mumbai', 'Tokyo', 'Sydney'] as const
export type City = (typeof cities)[number]

/**
 * Round trips between the cities, in milliseconds: averages of pings between the AWS regions eu-central-1, us-east-1, sa-east-1,
 * ap-south-1, ap-northeast-1 and ap-southeast-2 on 5 June 2020, as published in https://github.com/vitorenesduarte/fantoch
 * (latency_aws/2020_06_05, and latency_aws/us-east-1.dat for its row). Each row begins at its own city.
 */
const between: Record<City, readonly number[]> = {
  Frankfurt: [8.9, 85.6, 203.1, 111.5, 243.9, 281.9],
  Virginia: [8.9, 113, 181.8, 152.4, 198],
  'São Paulo': [8.9, 299.5, 267.9, 308.8],
  Mumbai: [8.9, 136.7, 143.3],
  Tokyo: [8.9, 104.1],
  Sydney: [8.9],
}

/**
 * The round trip between two cities. Within one it is 8.9 ms, the published one from Frankfurt to Paris, because a region of D1 is
 * larger than a city.
 */
export function roundTripMs(one: City, other: City): number {
  const [first = 0, last = 0] = [cities.indexOf(one), cities.indexOf(other)].sort((a, b) => a - b)
  const time = between[cities[first] ?? one][last - first]
  if (time === undefined) throw new Error(`no round trip from ${one} to ${other}`)
  return time
}
