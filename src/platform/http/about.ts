const openapi = '3.1.0'
const contact = { name: 'The operators of this service' }
const license = { name: 'MIT', identifier: 'MIT' }
const servers = [{ url: '/', description: 'The service that serves this description' }]
const security = [{ bearer: [] }]

/** The description for clients, without its paths and components. */
const forClients = {
  openapi,
  info: {
    title: 'Edge game storage',
    version: '1',
    summary: 'Files, game assets and notifications for game studios',
    description: [
      'Times are Unix seconds, sizes are bytes, ids are opaque. Unknown members and parameters are ignored, and answers may get new members.',
      'Errors are problem documents (RFC 9457): decide by `code`. 401 and 403 come with `WWW-Authenticate`; 429 and 503 with `Retry-After`; 405, for a method that a path does not have, with `Allow`.',
      'Every answer has an `X-Request-Id`. The log has it beside the client’s own `X-Request-Id`.',
      '[/asyncapi.json](/asyncapi.json) describes the WebSocket `/v1/notifications/ws`, which is not among the paths here. The requests of the operators’ commands are described at [/openapi.operators.json](/openapi.operators.json).',
    ].join('\n\n'),
    contact,
    license,
  },
  servers,
  security,
  tags: [
    { name: 'Files', description: 'A player’s files and folders' },
    { name: 'Trash', description: 'Deleted items that can be restored' },
    { name: 'Shares', description: 'Giving other users access to a file' },
    { name: 'Profiles', description: 'The picture that a player shows to others' },
    { name: 'Quota', description: 'A player’s used and available storage' },
    { name: 'Uploads', description: 'Sending content to signed URLs, in one PUT or in parts' },
    { name: 'Game assets', description: 'Worlds, avatars and props, with versions and branches' },
    { name: 'Public game assets', description: 'Game assets that every user may see and branch' },
    { name: 'Favorites', description: 'The game assets that a player likes' },
    { name: 'Saves', description: 'A player’s saves, with their revisions' },
    { name: 'Mutes', description: 'The players of whom a player wants to hear nothing' },
    { name: 'Safety', description: 'Reports, decisions about a player’s things, and appeals' },
    { name: 'Notifications', description: 'A player’s inbox. A socket reports its changes: /asyncapi.json' },
    { name: 'Recalls', description: 'Saves of all players that go back to before a time' },
    { name: 'Announcements', description: 'Notifications for all players' },
    { name: 'Operators', description: 'For the studio’s own services: each needs a token with a scope' },
  ],
}

/** The description for operators, without its paths and components. */
const forOperators = {
  openapi,
  info: {
    title: 'Edge game storage for operators',
    version: '1',
    summary: 'The requests of the commands that operators run',
    description: [
      'The requests that `npm run events`, `npm run shards` and `npm run reconcile` send. Each needs a token with a scope. [/openapi.json](/openapi.json) describes all other requests, those of the studio’s services and moderators included. Its rules for times, errors and headers apply here too.',
      'Use a command only with a service of the same release: these requests may change with any release, without notice.',
    ].join('\n\n'),
    contact,
    license,
  },
  servers,
  security,
  tags: [
    {
      name: 'Databases',
      description: 'Which database has which users, and moving users to another database',
    },
    {
      name: 'Reconciliation',
      description: 'Comparing rows and objects after a database has gone back in time',
    },
    { name: 'Catalogue', description: 'Looking at the catalogue of public assets, and rebuilding it' },
    { name: 'Job', description: 'What the scheduled job did' },
    { name: 'Events', description: 'Events that were not delivered to the studio’s server' },
  ],
}

/** The descriptions without their paths and components, by audience. */
export const about = { clients: forClients, operators: forOperators }
