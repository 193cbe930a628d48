/** A check that only a person can make: in the dashboard, on the bill, or after breaking a dependency on purpose. */
export interface ByHand {
  name: string
  /** The command to type, or the place to look. NAME is the Worker's name, URL its address. */
  do: string
  must: string
}

export const byHand: ByHand[] = [
  {
    name: 'examples',
    do: 'The examples of the guides (docs/README.md), with BASE=URL and tokens of your login',
    must: 'What the guides show',
  },
  {
    name: 'start-up',
    do: 'npm run deploy: the line after the version',
    must: 'A start-up time below 50 ms',
  },
  {
    name: 'invocation-logs',
    do: 'The dashboard: the Worker, Logs, after npm run acceptance -- URL --profile smoke',
    must: 'Lines {"message":"request",…}, and no event with the URL of a request, of a call of an object or of an alarm',
  },
  {
    name: 'picture-at-the-edge',
    do: 'A profile picture that is chosen, its URL with curl -i from two continents; a block of its file (the console, Moderation). Once more with 30 blocks within a minute, and with a version deployed between the picture and the block, followed by npx wrangler rollback',
    must: 'Also when the first request has If-None-Match: * (304), the next without it is 200. Cf-Cache-Status MISS, then HIT in both, with Age and without Cache-Tag; 404 in both within seconds of the block. Of 30 blocks, the log has warnings "pictures stay in the cache", and no picture is shown 5 minutes later. After the rollback the picture is not shown, either. The log has no line for a HIT',
  },
  {
    name: 'cache-costs-no-time',
    do: 'The median and the 99th percentile of 1,000 GET /v1/quota and of 1,000 GET /v1/game/public, 50 at once by several users, far from the database; then with "picture_cache": false',
    must: 'No HIT, and both times as without the cache, within 5 %: requests with Authorization pass the cache without waiting for each other or for its upper tier. Otherwise "picture_cache": false stays, and pictures get an entrypoint of their own',
  },
  {
    name: 'moderation',
    do: 'With "HIDE_AFTER_REPORTS": 3 three users report one public asset that has a preview; GET /v1/game/public until it is gone. In the console, Moderation: none, then block; the URL of the preview with curl -i; an appeal of the owner, and its answer by another moderator',
    must: 'The third report takes it out of the catalogue within 15 seconds. The owner and the three have their notifications seconds after each decision, without npm run job. The preview is 404 within seconds of the block. GET /v1/audit has the decisions with their status',
  },
  {
    name: 'workers-dev',
    do: 'curl -i https://NAME.SUBDOMAIN.workers.dev/healthz, with a domain in the settings',
    must: 'No answer of the Worker',
  },
  {
    name: 'where',
    do: 'npx wrangler d1 info DATABASE --json; npx wrangler r2 bucket info BUCKET; with a jurisdiction the dashboard: Durable Objects, Inbox',
    must: 'The location or jurisdiction of the settings. A second npm run deploy with another "jurisdiction" is refused; one with another "location" notes where the bucket is, and goes on',
  },
  {
    name: 'read-replication',
    do: 'npm run deploy twice with "CATALOG" among the databases; npx wrangler d1 info DATABASE --json for each; then "read_replication": "disabled", and a token without D1: Edit',
    must: 'The first run says "turns read replication on" for each, the second "on for every database", and info has the mode auto. Without the right the run ends before "Worker", names the right, and the old version serves; with it the mode is disabled',
  },
  {
    name: 'region',
    do: 'npx wrangler tail NAME --format json while players on three continents (or curl through VPNs) list files, create a folder, list with its X-D1-Bookmark at once and half a minute later, and read a page of the catalogue',
    must: 'The line of each request says which region served it and whether that was the primary (d1_region and d1_primary). The first and the last list: the region nearest to the player, not the primary; the creation and the list right after it: the primary; the page: the nearest region. The list right after the creation has the folder, a hundred times in a row',
  },
  {
    name: 'replicas-in-jurisdiction',
    do: 'The same with "jurisdiction", from a continent outside of it',
    must: 'd1_region is inside of the jurisdiction in every line. Otherwise "read_replication": "disabled" belongs into the settings of a deployment with a jurisdiction, and into docs/deploying.md',
  },
  {
    name: 'replica-after-migration',
    do: 'With read replication on: npm run deploy of a version whose migration adds a column that lists read, under a load of lists from three continents',
    must: 'No answer is 500. npx wrangler tail NAME has "no such column" at most for trips that were repeated on the primary',
  },
  {
    name: 'replicas',
    do: 'With read replication on, a scratch Worker bound to the database, called from São Paulo, Mumbai, Tokyo and Sydney: SELECT 1 and an UPDATE in a session at a bookmark of yesterday, 100 times each; then an UPDATE and at once a SELECT at its bookmark',
    must: 'meta.served_by_region and the times are those of the model (docs/performance.md#from-far-away). Otherwise bench/distance-worker.ts has other copies, the way of a write through a replica is in bench/distance/replicated.ts, and the lag in bench/distance/draws.ts',
  },
  {
    name: 'probe',
    do: 'npm run deploy with the keys of the bucket in the environment: "Probe of the bucket". Once more with a wrong S3_SECRET_ACCESS_KEY',
    must: 'For each guard what R2 answers to content and to a copy, and of both PUTs "4 copies: refused"; afterwards nothing below .probe/ and no open multipart upload. The wrong key: 403, and nothing is set, migrated or deployed',
  },
  {
    name: 'migrations',
    do: 'npm run deploy with a new database; npx wrangler d1 execute DB --remote --config out/deploy/NAME/wrangler.json --command "SELECT name FROM d1_migrations"',
    must: 'Every file of migrations/, with their triggers (SELECT name FROM sqlite_schema), usage_after_update_limit_bytes among them, whose RAISE takes an expression (SQLite 3.47). If D1 answers incomplete input [7500], the command says "It is imported instead." and ends with "Done."',
  },
  {
    name: 'secrets-after-rollback',
    do: 'npm run deploy twice; npx wrangler rollback --name NAME; npx wrangler secret put SCRATCH --name NAME; then WEBHOOK_URL in variables for the first time, WEBHOOK_SECRET in the environment, npm run deploy',
    must: 'secret put is refused, because the latest version does not serve. The deployment ends with "Done.", and npx wrangler secret list --name NAME has WEBHOOK_SECRET beside those from before',
  },
  {
    name: 'slow-migration',
    do: 'In a scratch database: CREATE TABLE f (id TEXT PRIMARY KEY, c INTEGER); a million rows, 50,000 at a time; then CREATE INDEX i ON f (c, id), with --json',
    must: 'meta.duration below 2,000 ms; otherwise MAX_INDEXES in test/proofs/migrations has to be lower',
  },
  {
    name: 'killed-import',
    do: 'npx wrangler d1 execute of a file whose last statement is wrong; then one that is killed meanwhile, followed by npm run deploy',
    must: 'The first leaves sqlite_schema as it was; after the second there is no other import, and "Done."',
  },
  {
    name: 'job-off',
    do: '"cron": null in production.json with a backlog, npm run deploy, npx wrangler tail NAME; then the schedule again',
    must: 'At most one line "the job is off" for each database, no "the job ran", and no object less in the bucket. Afterwards "the job ran" within five minutes',
  },
  {
    name: 'smoke-leaves-nothing',
    do: 'SMOKE_ERASE_TOKEN=… npm run acceptance -- URL --profile smoke; ten minutes later: npx wrangler d1 execute DB --remote --config out/deploy/NAME/wrangler.json --command "SELECT user_id FROM usage", for each database',
    must: 'Every step passes, and neither of the two users has a row',
  },
  {
    name: 'taken-domain',
    do: 'npm run deploy with a "domain" that another Worker has, and with one that has an A record',
    must: 'Both are refused by name, and nothing has changed in the dashboard',
  },
  {
    name: 'big-uploads',
    do: 'An upload of 5 GiB (320 parts), and with MULTIPART_THRESHOLD at 5363466240 one of 5 GiB − 5 MiB in one PUT: npm run demo has options for it',
    must: 'Both become ready; the first with its SHA-256 declared too (CPU time of the completion below cpu_ms)',
  },
  {
    name: 'expired-multipart',
    do: 'Start an upload in parts, wait until the job has expired it (UPLOAD_TTL), then list the multipart uploads of the bucket with an S3 client',
    must: 'It is not listed',
  },
  {
    name: 'limits-by-triggers',
    do: 'MAX_ITEMS at "0" in variables, deploy, create a folder',
    must: 'LIMIT_REACHED with limit "items": the error text of D1 arrives as the local one',
  },
  {
    name: 'largest-save',
    do: 'MAX_SAVE_BYTES at "1900000" in variables, deploy, write a save of 1,900,000 bytes with a label of 255 emoji, and read it: a row of an object has at most 2 MB, bytes and metadata together',
    must: '201, and the same bytes. Then look at the bill of the object: one row written for each write of a full slot, and no active time between requests',
  },
  {
    name: 'deleted-save-expires',
    do: 'TRASH_RETENTION_DAYS at "1" in variables, deploy, delete a save, leave its player alone for a day; npx wrangler tail NAME --format json meanwhile. Look at the rows and the requests of the object in the dashboard',
    must: 'One alarm a day after the deletion and none after it; the storage of the object is less. Setting the alarm has written one row',
  },
  {
    name: 'save-during-deployment',
    do: 'A loop that writes one save with the If-Match of the answer before, twice a second, during npm run deploy',
    must: 'Each answer is 200, or 503 whose repetition is 200 with the next revision; the revisions are those that were acknowledged, without a gap',
  },
  {
    name: 'save-near-its-player',
    do: 'Write a save from another continent, then read it with npx wrangler tail NAME open',
    must: 'saves_calls is 1 in both lines, and the second takes less than a tenth of a second there: the object was made near its player',
  },
  {
    name: 'inbox-in-its-region',
    do: 'From Europe publish to two users whom nobody has seen, one with "region": "oc"; then count the unread ones of both in Sydney, twice, with npx wrangler tail NAME open',
    must: 'The second count of the one with the region takes less than a tenth of a second there, that of the other about the way to Europe and back',
  },
  {
    name: 'inbox-after-a-share',
    do: 'NOTIFY_SHARES at "on"; in Europe share a file with a user whom nobody has seen; an hour later count the unread ones of that user in Sydney, twice',
    must: 'The second count takes less than a tenth of a second: an object that a call has found without storage is made anew near its user. Otherwise say so in docs/files.md#sharing',
  },
  {
    name: 'job-near-its-database',
    do: 'A first deployment whose "location" is on another continent than you; npx wrangler tail NAME --search "the job ran"',
    must: 'ms divided by queries is below 20 for each database: the job runs beside it. Above 100 its object was made elsewhere, and stays there. With JURISDICTION in place of the location as well',
  },
  {
    name: 'old-objects',
    do: 'A loop that publishes to one user and a favorite that is set and taken back once a second, during npm run deploy of this version over the one before, and for six minutes after it',
    must: 'No answer is INTERNAL: 503 UNAVAILABLE with Retry-After at most, of methods that the version before lacks, and none for longer than five minutes',
  },
  {
    name: 'time-travel',
    do: 'npx wrangler d1 time-travel info DATABASE. In a scratch database with all migrations, never in one that serves: npx wrangler d1 export SCRATCH --remote --output x.sql, then a query',
    must: 'A bookmark; the export is refused for virtual tables, so docs/going-back.md#backups is how you take a copy. Whether the database answers "Currently processing a long-running export" afterwards (workers-sdk #9519)',
  },
  {
    name: 'backup',
    do: 'npm run backup with a million rows; the steps of docs/going-back.md#backups into a new database; npm run backup of that. Note how long each takes',
    must: 'The import succeeds, both runs print the same numbers but for what changed meanwhile, and npm run reconcile finds nothing else',
  },
  {
    name: 'busy-janitor-stops',
    do: 'A backlog of purges that takes the job ten minutes; "cron": null, npm run deploy',
    must: 'No "the job ran" later than a few seconds after the deployment',
  },
  {
    name: 'job',
    do: 'npx wrangler tail NAME --search "the job ran"',
    must: 'A line every five minutes. After an aborted upload objects_removed; after a large purge runs about a second apart, each with queries of at most 800; a list beside them takes less than a quarter of a second longer',
  },
  {
    name: 'pairing',
    do: 'npx wrangler r2 object get BUCKET/.pairing --remote --pipe; then delete it by hand, and wait for the next run',
    must: 'It is there; the next run has failed ["bucket_paired"] and removes no object. An hour after the first run it has been replaced',
  },
  {
    name: 'deployment-with-sockets',
    do: 'npm run deploy while the console has an inbox open, and publish meanwhile',
    must: 'The socket is dropped and comes back by itself; what was published follows once and in order',
  },
  {
    name: 'announcement-everywhere',
    do: 'With players in several places (or curl through VPNs): announce, and count every ten seconds in each place; npx wrangler tail NAME meanwhile. End it, and go on counting',
    must: 'It is there everywhere within a minute, and gone within a minute after its end. inbox_calls is 3 in the line of the count that has it first and of the one that loses it, 1 in all others; d1_trips is 0',
  },
  {
    name: 'migrated-inbox',
    do: 'npm run deploy of this version over the one before, with the console of a user open who has notifications; then npx wrangler rollback, and again npm run deploy',
    must: 'The same notifications and count each time, and the socket comes back; an announcement before the rollback is there after it',
  },
  {
    name: 'expired-socket',
    do: 'A socket with a token that expires in a minute; another whose user is erased',
    must: 'Closed with 4401 and with 4410, and the client’s close event comes at once',
  },
  {
    name: 'late-socket',
    do: 'CALL_TIMEOUT_MS at "1", deploy, open a socket',
    must: '503; an inbox that accepts a socket afterwards ends it with its token at the latest (npx wrangler tail NAME)',
  },
  {
    name: 'publisher',
    do: 'Two Workers that bind NotificationPublisher with different props (docs/publishing.md) publish with one idempotency_key',
    must: 'Both are published',
  },
  {
    name: 'login-keys',
    do: 'With JWKS_URL: have the login’s key set answer 500 for half an hour, and deploy again meanwhile; then have it unreachable with a new user’s key',
    must: 'Tokens are taken, and the log says "could not be fetched". A key that nobody knows: 503',
  },
  {
    name: 'queue',
    do: 'npm run deploy with a "queue", twice; npx wrangler queues info QUEUE',
    must: 'The first run creates it, the second finds it; the Worker is its producer and its consumer. The same of "check_queue"',
  },
  {
    name: 'hanging-checker',
    do: 'A checker that does not answer, 100 uploads for it, and an upload of another user that is not checked',
    must: 'The backlog of the queue of checks grows (npx wrangler queues info); the other user’s event arrives within seconds',
  },
  {
    name: 'full-outbox',
    do: 'MAX_EVENTS at "1000" in variables, the receiver off, 1,100 events of several users; then the receiver on',
    must: 'All requests succeed, the job logs "events were dropped", and within five minutes one events.dropped comes',
  },
  {
    name: 'events',
    do: 'With WEBHOOK_URL: an upload. Then have the receiver answer 500 for an hour, and 204 again',
    must: 'The event arrives within seconds, and the receiver’s library accepts its signature; meanwhile npm run events shows what waits; then all of it comes',
  },
  {
    name: 'near-receiver',
    do: 'A receiver that is a Worker of the same account, one on the same zone, and a host that the public DNS does not know',
    must: 'The first two get events (without global_fetch_strictly_public: error 1042, or past the Worker); the third: "could not be reached"',
  },
  {
    name: 'hanging-receiver',
    do: 'A receiver that does not answer',
    must: 'The line of the consumer says failed after 15 seconds, and requests are as fast as before',
  },
  {
    name: 'late-message',
    do: 'A receiver that refuses an event for a day, with a deployment in between',
    must: 'The message with a delay of 6 hours comes back',
  },
  {
    name: 'second-database',
    do: 'Add DB_1 to "databases", npm run deploy; curl URL/health; npx wrangler tail NAME',
    must: '200; the log of the job has a line for each database',
  },
  {
    name: 'refused-shares',
    do: 'With two databases: share a folder with 100 users (409 FILE_IS_FOLDER); SELECT count(*) FROM share_hints in each database, before and after. With read replication on: meta.served_by_primary of a share',
    must: 'The same numbers; true',
  },
  {
    name: 'move',
    do: 'npm run shards -- move … while players are active; with read replication on, the same range from two places far apart at once (docs/scaling.md)',
    must: 'Clients see 503 with Retry-After and lose no write; both end with "moved". Note how long a portion is frozen. A session begun with first-primary is served_by_primary',
  },
  {
    name: 'public-page-of-all',
    do: 'With several databases: curl -w "%{time_total}" URL/v1/game/public with a token',
    must: 'The time of one trip, not of as many as there are databases (up to six)',
  },
  {
    name: 'old-isolates',
    do: 'npx wrangler tail NAME during a deployment (version of the events)',
    must: 'The old version ends within the time that the mover waits before it relies on hints and markers (docs/scaling.md)',
  },
]
