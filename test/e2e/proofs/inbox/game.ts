/** The notifications of the game in the proof. */
export interface Game {
  'shop.gift': { gift_id: string; number: number }
  /** A signal. */
  'game.turn': { number: number }
  /** An announcement. */
  'studio.maintenance': { minutes: number }
}
