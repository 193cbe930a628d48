/** What the description says of the service as a whole. */
export const about = {
  openapi: '3.1.0',
  info: {
    title: 'Edge game storage',
    version: '1',
    summary: 'Files, game assets and notifications for game studios',
    description: [
      'Times are Unix seconds, sizes are bytes, ids are opaque. Unknown members and parameters are ignored, and answers may get new members.',
      'Errors are problem documents (RFC 9457): decide by `code`. 401 and 403 come with `WWW-Authenticate`; 429 and 503 with `Retry-After`; 405, for a method that a path does not have, with `Allow`.',
      'Every answer has an `X-Request-Id`. A client’s own `X-Request-Id` is written to the log beside it.',
      'The socket `/v1/notifications/ws` is described at [/asyncapi.json](/asyncapi.json): it is no request, so no path here leads to it.',
    ].join('\n\n'),
    contact: { name: 'Those who run this service' },
    license: { name: 'MIT', identifier: 'MIT' },
  },
  servers: [{ url: '/', description: 'The service that serves this description' }],
  security: [{ bearer: [] }],
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
