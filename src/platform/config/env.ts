import type { JobHistory } from '../jobs/history.ts'
import type { Message } from './message.ts'

/** The platform's rate limits for each user and network, with the rates in wrangler.toml. A deployment may omit them. */
export interface RateLimits {
  REQUEST_LIMIT?: RateLimit
  WRITE_LIMIT?: RateLimit
  /** For the studio's services, which have a scope in their tokens. */
  SERVICE_REQUEST_LIMIT?: RateLimit
  SERVICE_WRITE_LIMIT?: RateLimit
  /** For requests without a token, of each network. */
  PICTURE_LIMIT?: RateLimit
}

/** The methods of the janitor (src/janitor/janitor.ts), named here so that this file does not import the class. */
interface JanitorMethods extends Rpc.DurableObjectBranded {
  /** Runs the job of a database, named by its binding. Returns the names of the tasks that failed. */
  wake(database: string): Promise<{ failed?: string[] }>
  /** Runs the job of a database at a time (Unix seconds), or earlier. */
  wakeAt(database: string, time: number): void
  /** What the last runs did, and what waits. */
  history(): JobHistory
}

/**
 * The bindings of wrangler.toml. A feature declares the binding of its Durable Object beside the object's methods: INBOX in
 * src/features/notifications/rpc.ts, SAVES in src/features/saves/rpc.ts. Variables and secrets are members too, as strings: see
 * `configuration`.
 */
export interface Env extends RateLimits {
  /** The first database. Further ones are bound as DB_1, DB_2, … (docs/scaling.md): `databasesOf` finds them. */
  DB: D1Database
  /** The catalogue's own database (docs/catalogue.md). Without it the catalogue is in the first one. */
  CATALOG?: D1Database
  BUCKET: R2Bucket
  JANITOR: DurableObjectNamespace<JanitorMethods>
  /** Receives the metrics of requests (docs/observing.md). A deployment may omit it. */
  METRICS?: AnalyticsEngineDataset
  /** Wakes the delivery of events (docs/events.md). Needed with WEBHOOK_URL. */
  EVENTS?: Queue<Message>
  /** Carries the requests for checks of content (docs/content-check.md). Needed with a checker. */
  CHECKS?: Queue<Message>
  /** The studio's Worker that checks content (docs/content-check.md). It excludes CONTENT_CHECK_URL. */
  CONTENT_CHECK?: Fetcher
  /** The static pages (out/pages). Tests lack this binding. */
  ASSETS?: Fetcher
}
