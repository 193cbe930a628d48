import { isThing, rated, type Thing } from './things.ts'

/**
 * Who may do what to whose things. One row a request and a place in it where it names, or lists, something of Ada's;
 * a cell is the answer: its status, its code, and, where a list or a count answers, whether Ada's thing is in it.
 * `kept` is what answers 2xx and changes nothing of Ada's all the same. `=` is what the stranger gets.
 *
 * owner: Ada. stranger: anybody with a token. grantee: with whom a file of Ada's, this one if it is one, is shared.
 * public: a stranger when the thing, or the file that it hangs on, is public. blocked: a stranger when it is public
 * and blocked. operator: a stranger whose token has every scope that there is.
 *
 * bounded: a stranger whose token has the claim `max_rating` everyone, when the thing is a public asset for adults. There is no column:
 * the bounded one gets what the stranger gets from whom it is private.
 */
const table = `
| request                                         | thing         | named in          | owner                    | stranger                   | grantee   | public    | blocked | operator |
|-------------------------------------------------|---------------|-------------------|--------------------------|----------------------------|-----------|-----------|---------|----------|
| GET /v1/files                                   | file          | listed            | 200 shown                | 200 hidden                 | =         | =         | =       | =        |
| GET /v1/files                                   | folder        | ?parent_id        | 200                      | 404 FILE_PARENT_NOT_FOUND  | =         | 200       | =       | =        |
| POST /v1/files                                  | folder        | .parent_id        | 201                      | 404 FILE_PARENT_NOT_FOUND  | =         | =         | =       | =        |
| GET /v1/files/{id}                              | file          | {id}              | 200                      | 404 FILE_NOT_FOUND         | =         | 200       | =       | =        |
| GET /v1/files/{id}                              | folder        | {id}              | 200                      | 404 FILE_NOT_FOUND         | =         | 200       | =       | =        |
| PATCH /v1/files/{id}                            | file          | {id}              | 200                      | 404 FILE_NOT_FOUND         | =         | =         | =       | =        |
| PATCH /v1/files/{id}                            | folder        | .parent_id        | 200                      | 404 FILE_PARENT_NOT_FOUND  | =         | =         | =       | =        |
| DELETE /v1/files/{id}                           | file          | {id}              | 204                      | 404 FILE_NOT_FOUND         | =         | =         | =       | =        |
| DELETE /v1/files/{id}                           | folder        | {id}              | 204                      | 404 FILE_NOT_FOUND         | =         | =         | =       | =        |
| GET /v1/files/{id}/url                          | file          | {id}              | 200                      | 404 FILE_NOT_FOUND         | =         | 200       | =       | =        |
| POST /v1/files/urls                             | file          | .ids              | 200 shown                | 200 hidden                 | =         | 200 shown | =       | =        |
| POST /v1/files/content                          | folder        | ?parent_id        | 201                      | 404 FILE_PARENT_NOT_FOUND  | =         | =         | =       | =        |
| PUT /v1/files/{id}/content                      | file          | {id}              | 200                      | 404 FILE_NOT_FOUND         | =         | =         | =       | =        |
| GET /v1/files/{id}/content                      | file          | {id}              | 200                      | 404 FILE_NOT_FOUND         | =         | 200       | =       | =        |
| GET /v1/trash                                   | trashed file  | listed            | 200 shown                | 200 hidden                 | =         | =         | =       | =        |
| DELETE /v1/trash                                | trashed file  | nowhere           | 204                      | 204 kept                   | =         | =         | =       | =        |
| POST /v1/trash/{id}/restore                     | trashed file  | {id}              | 200                      | 404 FILE_NOT_FOUND         | =         | =         | =       | =        |
| DELETE /v1/trash/{id}                           | trashed file  | {id}              | 204                      | 404 FILE_NOT_FOUND         | =         | =         | =       | =        |
| GET /v1/files/{id}/shares                       | file          | {id}              | 200                      | 404 FILE_NOT_FOUND         | =         | =         | =       | =        |
| POST /v1/files/{id}/shares                      | file          | {id}              | 201                      | 404 FILE_NOT_FOUND         | =         | =         | =       | =        |
| GET /v1/shares                                  | share         | listed            | 200 hidden               | 200 hidden                 | 200 shown | =         | =       | =        |
| DELETE /v1/shares                               | user          | ?owner_id         | 204 kept                 | 204 kept                   | =         | =         | =       | =        |
| DELETE /v1/shares/{id}                          | share         | {id}              | 204                      | 404 SHARE_NOT_FOUND        | 204       | =         | =       | =        |
| GET /v1/shares/{id}/url                         | share         | {id}              | 403 SHARE_ACCESS_DENIED  | 404 SHARE_NOT_FOUND        | 200       | =         | =       | =        |
| GET /v1/quota                                   | user          | counted           | 200 shown                | 200 hidden                 | =         | =         | =       | =        |
| GET /v1/quota/breakdown                         | user          | counted           | 200 shown                | 200 hidden                 | =         | =         | =       | =        |
| GET /v1/users/{user_id}/quota                   | user          | {user_id}         | 403 FORBIDDEN            | 403 FORBIDDEN              | =         | =         | =       | 200      |
| PUT /v1/users/{user_id}/quota                   | user          | {user_id}         | 403 FORBIDDEN            | 403 FORBIDDEN              | =         | =         | =       | 200      |
| PUT /v1/profile                                 | picture       | .picture_id       | 200                      | 404 FILE_NOT_FOUND         | =         | =         | =       | =        |
| POST /v1/profiles                               | profile       | .user_ids         | 200 shown                | 200 shown                  | =         | =         | 200     | =        |
| POST /v1/uploads                                | folder        | .parent_id        | 201                      | 404 FILE_PARENT_NOT_FOUND  | =         | =         | =       | =        |
| POST /v1/uploads                                | file          | .file_id          | 201                      | 404 FILE_NOT_FOUND         | =         | =         | =       | =        |
| POST /v1/uploads                                | asset         | .asset_id         | 201                      | 404 ASSET_NOT_FOUND        | =         | =         | =       | =        |
| GET /v1/uploads/{id}                            | upload        | {id}              | 200                      | 404 UPLOAD_NOT_FOUND       | =         | =         | =       | =        |
| POST /v1/uploads/{id}/parts                     | large upload  | {id}              | 200                      | 404 UPLOAD_NOT_FOUND       | =         | =         | =       | =        |
| POST /v1/uploads/{id}/complete                  | upload        | {id}              | 200                      | 404 UPLOAD_NOT_FOUND       | =         | =         | =       | =        |
| DELETE /v1/uploads/{id}                         | upload        | {id}              | 204                      | 404 UPLOAD_NOT_FOUND       | =         | =         | =       | =        |
| PUT /v1/uploads/{id}/verdict                    | checked upload | {id}             | 403 FORBIDDEN            | 403 FORBIDDEN              | =         | =         | =       | 204      |
| POST /v1/game/assets                            | asset         | nowhere           | 409 DUPLICATE_ASSET_NAME | 201 kept                   | =         | =         | =       | =        |
| GET /v1/game/assets                             | asset         | listed            | 200 shown                | 200 hidden                 | =         | =         | =       | =        |
| GET /v1/game/assets/{id}                        | asset         | {id}              | 200                      | 404 ASSET_NOT_FOUND        | =         | 200       | =       | =        |
| PUT /v1/game/assets/{id}                        | asset         | {id}              | 200                      | 404 ASSET_NOT_FOUND        | =         | =         | =       | =        |
| DELETE /v1/game/assets/{id}                     | asset         | {id}              | 204                      | 404 ASSET_NOT_FOUND        | =         | =         | =       | =        |
| PUT /v1/game/assets/{id}/preview                | asset         | {id}              | 200                      | 404 ASSET_NOT_FOUND        | =         | =         | =       | =        |
| DELETE /v1/game/assets/{id}/preview             | asset         | {id}              | 204                      | 404 ASSET_NOT_FOUND        | =         | =         | =       | =        |
| POST /v1/game/assets/{id}/restore               | trashed asset | {id}              | 200                      | 404 ASSET_NOT_FOUND        | =         | =         | =       | =        |
| POST /v1/game/assets/{id}/branch                | asset         | {id}              | 201                      | 404 ASSET_NOT_FOUND        | =         | 201 kept  | =       | =        |
| GET /v1/game/assets/{id}/branches               | asset         | {id}              | 200                      | 404 ASSET_NOT_FOUND        | =         | 200       | =       | =        |
| GET /v1/game/assets/{id}/versions               | asset         | {id}              | 200                      | 404 ASSET_NOT_FOUND        | =         | 200       | =       | =        |
| POST /v1/game/assets/{id}/versions              | asset         | {id}              | 201                      | 404 ASSET_NOT_FOUND        | =         | =         | =       | =        |
| GET /v1/game/assets/{id}/versions/{version}     | asset         | {id}              | 200                      | 404 ASSET_NOT_FOUND        | =         | 200       | =       | =        |
| PATCH /v1/game/assets/{id}/versions/{version}   | asset         | {id}              | 200                      | 404 ASSET_NOT_FOUND        | =         | =         | =       | =        |
| DELETE /v1/game/assets/{id}/versions/{version}  | older version | {id}              | 204                      | 404 ASSET_NOT_FOUND        | =         | =         | =       | =        |
| GET /v1/game/assets/{id}/versions/{version}/url | asset         | {id}              | 200                      | 404 ASSET_NOT_FOUND        | =         | 200       | =       | =        |
| DELETE /v1/game/assets/{id}/versions/{version}/variants/{platform} | variant        | {id}              | 204                      | 404 ASSET_NOT_FOUND        | =         | =         | =       | =        |
| GET /v1/game/assets/{id}/channels               | asset in a channel | {id}         | 200                      | 404 ASSET_NOT_FOUND        | =         | =         | =       | =        |
| PUT /v1/game/assets/{id}/channels/{channel}     | asset         | {id}              | 200                      | 404 ASSET_NOT_FOUND        | =         | =         | =       | =        |
| DELETE /v1/game/assets/{id}/channels/{channel}  | asset in a channel | {id}         | 204                      | 404 ASSET_NOT_FOUND        | =         | =         | =       | =        |
| POST /v1/game/urls                              | asset         | .asset_id         | 200 shown                | 200 hidden                 | =         | 200 shown | =       | =        |
| POST /v1/game/updates                           | asset in a channel | .asset_id    | 200 shown                | 200 hidden                 | =         | 200 shown | =       | =        |
| GET /v1/game/public                             | asset         | listed            | 200 hidden               | 200 hidden                 | =         | 200 shown | =       | =        |
| GET /v1/game/public                             | user          | ?owner_id         | 200 kept                 | 200 kept                   | =         | =         | =       | =        |
| GET /v1/game/public/{type}/{id}                 | asset         | {id}              | 404 ASSET_NOT_FOUND      | 404 ASSET_NOT_FOUND        | =         | 200       | =       | =        |
| PUT /v1/game/assets/{id}/favorite               | asset         | {id}              | 204                      | 404 ASSET_NOT_FOUND        | =         | 204 kept  | =       | =        |
| DELETE /v1/game/assets/{id}/favorite            | favorite      | {id}              | 204                      | 404 ASSET_NOT_FOUND        | =         | 204 kept  | =       | =        |
| GET /v1/game/favorites                          | favorite      | listed            | 200 shown                | 200 hidden                 | =         | =         | =       | =        |
| GET /v1/saves                                   | save          | listed            | 200 shown                | 200 hidden                 | =         | =         | =       | =        |
| PUT /v1/saves/{slot}                            | save          | {slot}            | 200                      | 201 kept                   | =         | =         | =       | =        |
| GET /v1/saves/{slot}                            | save          | {slot}            | 200                      | 404 SAVE_NOT_FOUND         | =         | =         | =       | =        |
| GET /v1/saves/{slot}/revisions                  | save          | {slot}            | 200                      | 404 SAVE_NOT_FOUND         | =         | =         | =       | =        |
| POST /v1/saves/{slot}/restore                   | deleted save  | {slot}            | 200                      | 404 SAVE_NOT_FOUND         | =         | =         | =       | =        |
| DELETE /v1/saves/{slot}                         | save          | {slot}            | 204                      | 404 SAVE_NOT_FOUND         | =         | =         | =       | =        |
| GET /v1/notifications                           | notification  | listed            | 200 shown                | 200 hidden                 | =         | =         | =       | =        |
| POST /v1/notifications                          | user          | .user_id          | 403 FORBIDDEN            | 403 FORBIDDEN              | =         | =         | =       | 201      |
| GET /v1/notifications/unread-count              | notification  | counted           | 200 shown                | 200 hidden                 | =         | =         | =       | =        |
| POST /v1/notifications/read                     | notification  | .notification_ids | 200 shown                | 200 hidden                 | =         | =         | =       | =        |
| POST /v1/notifications/read                     | notification  | counted           | 200 shown                | 200 hidden                 | =         | =         | =       | =        |
| POST /v1/notifications/batch                    | user          | .user_ids         | 403 FORBIDDEN            | 403 FORBIDDEN              | =         | =         | =       | 200      |
| POST /v1/notifications/delete                   | notification  | .notification_ids | 200 shown                | 200 hidden                 | =         | =         | =       | =        |
| POST /v1/notifications/delete                   | notification  | counted           | 200 hidden               | 200 hidden                 | =         | =         | =       | =        |
| DELETE /v1/notifications/{id}                   | notification  | {id}              | 204                      | 404 NOTIFICATION_NOT_FOUND | =         | =         | =       | =        |
| GET /v1/notifications/ws                        | notification  | counted           | 101 shown                | 101 hidden                 | =         | =         | =       | =        |
| POST /v1/recalls                                | user          | nowhere           | 403 FORBIDDEN            | 403 FORBIDDEN              | =         | =         | =       | 201      |
| GET /v1/recalls                                 | recall        | listed            | 403 FORBIDDEN            | 403 FORBIDDEN              | =         | =         | =       | 200 shown |
| DELETE /v1/recalls/{id}                         | recall        | {id}              | 403 FORBIDDEN            | 403 FORBIDDEN              | =         | =         | =       | 204      |
| POST /v1/announcements                          | user          | nowhere           | 403 FORBIDDEN            | 403 FORBIDDEN              | =         | =         | =       | 201      |
| GET /v1/announcements                           | announcement  | listed            | 403 FORBIDDEN            | 403 FORBIDDEN              | =         | =         | =       | 200 shown |
| DELETE /v1/announcements/{id}                   | announcement  | {id}              | 403 FORBIDDEN            | 403 FORBIDDEN              | =         | =         | =       | 204      |
| GET /v1/reconcile                               | user          | nowhere           | 403 FORBIDDEN            | 403 FORBIDDEN              | =         | =         | =       | 200 kept |
| POST /v1/reconcile                              | user          | nowhere           | 403 FORBIDDEN            | 403 FORBIDDEN              | =         | =         | =       | 200 kept |
| GET /v1/catalogue                               | user          | nowhere           | 403 FORBIDDEN            | 403 FORBIDDEN              | =         | =         | =       | 200 kept |
| POST /v1/catalogue/rebuild                      | user          | nowhere           | 403 FORBIDDEN            | 403 FORBIDDEN              | =         | =         | =       | 200 kept |
| GET /v1/shards                                  | user          | nowhere           | 403 FORBIDDEN            | 403 FORBIDDEN              | =         | =         | =       | 200 kept |
| POST /v1/shards/move                            | user          | nowhere           | 403 FORBIDDEN            | 403 FORBIDDEN              | =         | =         | =       | 200 kept |
| POST /v1/shards/undo                            | user          | nowhere           | 403 FORBIDDEN            | 403 FORBIDDEN              | =         | =         | =       | 200 kept |
| GET /v1/job                                     | user          | nowhere           | 403 FORBIDDEN            | 403 FORBIDDEN              | =         | =         | =       | 200 kept |
| GET /v1/events                                  | user          | nowhere           | 403 FORBIDDEN            | 403 FORBIDDEN              | =         | =         | =       | 200 kept |
| POST /v1/events/resend                          | user          | nowhere           | 403 FORBIDDEN            | 403 FORBIDDEN              | =         | =         | =       | 200 kept |
| POST /v1/events/discard                         | user          | nowhere           | 403 FORBIDDEN            | 403 FORBIDDEN              | =         | =         | =       | 200 kept |
| GET /v1/users/{user_id}                         | user          | {user_id}         | 403 FORBIDDEN            | 403 FORBIDDEN              | =         | =         | =       | 200      |
| DELETE /v1/users/{user_id}                      | user          | {user_id}         | 403 FORBIDDEN            | 403 FORBIDDEN              | =         | =         | =       | 202      |
`

/**
 * The same of safety, with three columns more. reporter: somebody who has reported Ada's thing, or the thing that she has reported. erased:
 * Ada herself, after she was erased. too late: an operator, then.
 */
const safety = `
| request                                  | thing         | named in  | owner                  | stranger               | grantee | public   | blocked | operator   | reporter | erased                | too late            |
|------------------------------------------|---------------|-----------|------------------------|------------------------|---------|----------|---------|------------|----------|-----------------------|---------------------|
| PUT /v1/mutes/{user_id}                  | user          | {user_id} | 400 VALIDATION_FAILED  | 204 kept               | =       | =        | =       | =          | =        | 400 VALIDATION_FAILED | =                   |
| DELETE /v1/mutes/{user_id}               | mute          | {user_id} | 204                    | 204 kept               | =       | =        | =       | =          | =        | =                     | =                   |
| GET /v1/mutes                            | mute          | listed    | 200 shown              | 200 hidden             | =       | =        | =       | =          | =        | =                     | =                   |
| PUT /v1/game/assets/{id}/block           | asset         | {id}      | 403 FORBIDDEN          | 403 FORBIDDEN          | =       | =        | =       | 204        | =        | =                     | 404 ASSET_NOT_FOUND |
| DELETE /v1/game/assets/{id}/block        | asset         | {id}      | 403 FORBIDDEN          | 403 FORBIDDEN          | =       | =        | =       | 204        | =        | =                     | 404 ASSET_NOT_FOUND |
| PUT /v1/files/{id}/block                 | file          | {id}      | 403 FORBIDDEN          | 403 FORBIDDEN          | =       | =        | =       | 204        | =        | =                     | 404 FILE_NOT_FOUND  |
| DELETE /v1/files/{id}/block              | file          | {id}      | 403 FORBIDDEN          | 403 FORBIDDEN          | =       | =        | =       | 204        | =        | =                     | 404 FILE_NOT_FOUND  |
| GET /v1/blocked                          | user          | ?owner_id | 403 FORBIDDEN          | 403 FORBIDDEN          | =       | =        | =       | 200        | =        | =                     | 200 hidden          |
| GET /v1/blocked                          | asset         | listed    | 403 FORBIDDEN          | 403 FORBIDDEN          | =       | =        | =       | 200 hidden | =        | =                     | 200 hidden          |
| POST /v1/reports                         | asset         | .target   | 400 VALIDATION_FAILED  | 404 ASSET_NOT_FOUND    | =       | 201 kept | =       | =          | 200 kept | =                     | =                   |
| GET /v1/reports                          | report        | listed    | 200 shown              | 200 hidden             | =       | =        | =       | =          | =        | =                     | =                   |
| GET /v1/reports/{id}                     | report        | {id}      | 200                    | 404 REPORT_NOT_FOUND   | =       | =        | =       | =          | =        | =                     | =                   |
| GET /v1/decisions                        | decision      | listed    | 200 shown              | 200 hidden             | =       | =        | =       | =          | =        | =                     | =                   |
| GET /v1/decisions/{id}                   | decision      | {id}      | 200                    | 404 DECISION_NOT_FOUND | =       | =        | =       | =          | =        | =                     | =                   |
| POST /v1/decisions/{id}/appeal           | decision      | {id}      | 201                    | 404 DECISION_NOT_FOUND | =       | =        | =       | =          | =        | =                     | =                   |
| GET /v1/decisions                        | none          | listed    | 200 hidden             | 200 hidden             | =       | =        | =       | =          | =        | =                     | =                   |
| GET /v1/decisions/{id}                   | none          | {id}      | 404 DECISION_NOT_FOUND | 404 DECISION_NOT_FOUND | =       | =        | =       | =          | =        | =                     | =                   |
| POST /v1/decisions/{id}/appeal           | none          | {id}      | 404 DECISION_NOT_FOUND | 404 DECISION_NOT_FOUND | =       | =        | =       | =          | 201      | =                     | =                   |
| GET /v1/moderation/cases                 | user          | ?owner_id | 403 FORBIDDEN          | 403 FORBIDDEN          | =       | =        | =       | 200        | =        | =                     | 200 hidden          |
| POST /v1/moderation/cases                | asset         | .target   | 403 FORBIDDEN          | 403 FORBIDDEN          | =       | =        | =       | 201        | =        | =                     | 404 ASSET_NOT_FOUND |
| GET /v1/moderation/cases/{id}            | case          | {id}      | 403 FORBIDDEN          | 403 FORBIDDEN          | =       | =        | =       | 200        | =        | =                     | 200 hidden          |
| POST /v1/moderation/cases/{id}/content   | case          | {id}      | 403 FORBIDDEN          | 403 FORBIDDEN          | =       | =        | =       | 200        | =        | =                     | 404 ASSET_NOT_FOUND |
| POST /v1/moderation/cases/{id}/decisions | case          | {id}      | 403 FORBIDDEN          | 403 FORBIDDEN          | =       | =        | =       | 201        | =        | =                     | 201 hidden          |
| POST /v1/moderation/cases/{id}/appeal    | appealed case | {id}      | 403 FORBIDDEN          | 403 FORBIDDEN          | =       | =        | =       | 200        | =        | =                     | 409 APPEAL_CLOSED   |
| GET /v1/moderation/decisions/{id}        | decision      | {id}      | 403 FORBIDDEN          | 403 FORBIDDEN          | =       | =        | =       | 200        | =        | =                     | 200 hidden          |
| DELETE /v1/moderation/decisions/{id}     | decision      | {id}      | 403 FORBIDDEN          | 403 FORBIDDEN          | =       | =        | =       | 204        | =        | =                     | 204                 |
| GET /v1/moderation/figures               | user          | nowhere   | 403 FORBIDDEN          | 403 FORBIDDEN          | =       | =        | =       | 200 kept   | =        | =                     | 200 kept            |
| GET /v1/audit                            | user          | ?user_id  | 403 FORBIDDEN          | 403 FORBIDDEN          | =       | =        | =       | 200 kept   | =        | =                     | 200 hidden          |
`

export const actors = [
  'owner',
  'stranger',
  'grantee',
  'public',
  'blocked',
  'operator',
  'bounded',
  'reporter',
  'erased',
  'too late',
] as const

/** Who asks, and what has been done to Ada's thing before they do: see the table. */
export type Actor = (typeof actors)[number]

/** What is to be answered. */
interface Expected {
  status: number
  code: string | undefined
  /** `shown`, `hidden` or `kept`, where a status doesn't say it. */
  effect: string | undefined
}

export interface Relation {
  method: string
  path: string
  thing: Thing
  /** Where in the request its id stands, or how the answer may tell of it. */
  place: string
  /** Those of an actor who has no column are undefined. */
  answers: Partial<Record<Actor, Expected>>
}

/** The tables, read. Fails on a cell that means nothing. */
export const relations: Relation[] = [table, safety].flatMap((rows) =>
  rows.trim().split('\n').slice(2).map(row),
)

function row(line: string): Relation {
  const [request = '', thing = '', place = '', ...cells] = line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim())
  const [method = '', path = ''] = request.split(' ')
  if (!isThing(thing)) throw new Error(`nothing of Ada's: ${line}`)
  const [owner, stranger, grantee, shown, blocked, operator, reporter, erased, late] = cells
  const other = (cell: string | undefined) => answer(cell === '=' ? stranger : cell)
  return {
    method,
    path,
    thing,
    place,
    answers: {
      owner: answer(owner),
      stranger: answer(stranger),
      grantee: other(grantee),
      public: other(shown),
      blocked: other(blocked),
      operator: other(operator),
      ...(rated.includes(thing) && { bounded: answer(stranger) }),
      ...(cells.length > 6 && { reporter: other(reporter), erased: other(erased), 'too late': other(late) }),
    },
  }
}

function answer(cell = ''): Expected {
  const [, status, code, effect] = /^(\d{3})(?: ([A-Z_]+))?(?: (shown|hidden|kept))?$/.exec(cell) ?? []
  if (status === undefined) throw new Error(`no answer: ${cell}`)
  return { status: Number(status), code, effect }
}
