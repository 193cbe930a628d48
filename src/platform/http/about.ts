const openapi = '3.1.0'
const contact = { name: 'Those who run this service' }
const license = { name: 'MIT', identifier: 'MIT' }
const servers = [{ url: '/', description: 'The service that serves this description' }]
const security = [{ bearer: [] }]

/** What the description for clients says of the service as a whole. */
const forClients = {
  openapi,
  info: {
    title: 'Edge game storage',
    version: '1',
    summary: 'Files, game assets and notifications for game studios',
    description: [
      'Times are Unix seconds, sizes are bytes, ids are opaque. Unknown members and parameters are ignored, and answers may get new members.',
      'Errors are problem documents (RFC 9457): decide by `code`. 401 and 403 come with `WWW-Authenticate`; 429 and 503 with `Retry-After`; 405, for a method that a path does not have, with `Allow`.',
      'Every answer has an `X-Request-Id`. A client’s own `X-Request-Id` is written to the log beside it.',
      'The socket `/v1/notifications/ws` is described at [/asyncapi.json](/asyncapi.json): it is no request, so no path here leads to it. The requests of the operators’ commands are described at [/openapi.operators.json](/openapi.operators.json).',
    ].join('\n\n'),
    contact,
    license,
  },
  servers,
  security,
  tags: [
    { name: 'Files', description: 'A player’s files and folders' },
    { name: 'Trash', description: 'What was deleted and can be restored' },
    { name: 'Shares', description: 'Giving other users access to a file' },
    { name: 'Quota', description: 'How much a player stores, and may store' },
    { name: 'Uploads', description: 'How content comes in: in one PUT, or in parts, to signed URLs' },
    { name: 'Game assets', description: 'Worlds, avatars and props, with versions and branches' },
    { name: 'Public game assets', description: 'What everybody may see and branch' },
    { name: 'Notifications', description: 'A player’s inbox. A socket reports its changes: /asyncapi.json' },
    { name: 'Operators', description: 'For the studio’s own services: each needs a token with a scope' },
  ],
}

/** What the description for operators says. */
const forOperators = {
  openapi,
  info: {
    title: 'Edge game storage for operators',
    version: '1',
    summary: 'The requests of the commands with which this service is run',
    description: [
      'What `npm run events`, `npm run shards` and `npm run reconcile` send: each needs a token with a scope. [/openapi.json](/openapi.json) describes everything else, also what the studio’s services and moderators send; its words on times, errors and headers hold here, too.',
      'These requests belong to one release: a command and the service that it asks are of the same one. They may change with any release, without the notice that clients are given.',
    ].join('\n\n'),
    contact,
    license,
  },
  servers,
  security,
  tags: [
    { name: 'Databases', description: 'Which database has which users, and moving them' },
    { name: 'Reconciliation', description: 'Comparing rows and objects after going back in time' },
    { name: 'Events', description: 'Events that were not delivered to the studio’s server' },
  ],
}

/** What each description says as a whole, by its audience. */
export const about = { clients: forClients, operators: forOperators }
