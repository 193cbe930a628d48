import { Server } from '../server.ts'

/** The dev server behind a switch: whoever asks it something knows whether the answer may be missing. */
export class Power {
  /** How long each restart took until the first answer, in milliseconds. */
  readonly restarts: number[] = []
  readonly server: Server
  #isOff = false

  private constructor(server: Server) {
    this.server = server
  }

  static async on(variables: Record<string, string>): Promise<Power> {
    return new Power(await Server.start(variables))
  }

  /** Whether it has been, or is being, killed. */
  get isOff(): boolean {
    return this.#isOff
  }

  get origin(): string {
    return this.server.url()
  }

  /** Kills every process of the server. From here on answers are missing. */
  async cut(): Promise<void> {
    this.#isOff = true
    await this.server.kill()
  }

  /** Starts it again on what it left behind, with some variables set otherwise. */
  async restore(variables: Record<string, string> = {}): Promise<void> {
    const began = performance.now()
    await this.server.resume({ variables })
    this.restarts.push(performance.now() - began)
    this.#isOff = false
  }
}
