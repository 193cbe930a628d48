/** The enumerations of the description, and their source. */

import { pascal, text } from '../../../console/src/requests/csharp/names.ts'
import { errorCodes } from '../../../src/platform/errors.ts'
import { braced, element, file, spaced, summary } from './source.ts'

/**
 * The names of the enumerations that the description writes where they are used: by schema and member, or by operation and
 * parameter. Several places may share one; it has the values of all. null: the member stays a text.
 */
const names: Record<string, string | null> = {
  'SingleUpload.state': 'UploadState',
  'MultipartUpload.state': 'UploadState',
  'EndedUpload.state': 'UploadState',
  'UploadRecord.upload_type': 'UploadType',
  'EndedUpload.processing_state': 'ProcessingState',
  'FileRecord.processing_state': 'ProcessingState',
  'DeleteNotifications.state': 'NotificationState',
  'Verdict.verdict': 'ContentVerdict',
  'InvalidMember.in': 'RequestPart',
  'listFiles.sort': 'FileSort',
  'listFiles.order': 'SortOrder',
  'browseAssets.sort': 'AssetSort',
  'LargeContent.type': 'LargeContentType',
  'QuotaPart.kind': 'StorageKind',
  'SingleUpload.method': null,
  'MultipartUpload.method': null,
  // StorageException has it as text, so a limit that a later version adds keeps its name.
  'Problem.limit': null,
}

/** What an enumeration is, where the description does not say it. */
const summaries: Record<string, string> = {
  UploadState: 'The state of an upload',
  UploadType: 'What an upload makes',
  ProcessingState: 'Whether the content of a file can be downloaded',
  ContentVerdict: 'The result of a check of content',
  RequestPart: 'A part of a request',
  FileSort: 'What a list of items is sorted by',
  SortOrder: 'The direction of a list',
  AssetSort: 'What a list of public assets is sorted by',
  ItemType: 'The type of an item: a folder, or what a file is used for',
  FileType: 'What a file is used for',
  GameAssetType: 'The type of a game asset',
  Visibility: 'Who sees a game asset',
  Rating: 'For whom a game asset is',
  Permission: 'What the grantee of a share may do',
  NotificationState: 'Whether a notification has been read',
  BlockedKind: 'The kind of blocked content',
  LargeContentType: 'Whether a large content is a file or a version of an asset',
  StorageKind: 'A kind of what takes storage',
  Region: 'A region of the world',
  TargetType: 'What a report, a case or a decision is about',
  ReportCategory: 'What a report says that a thing is',
  ReportState: 'Whether moderators have decided about a report',
  DecisionAction: 'What a moderator decided to do',
  DecisionGround: 'What a decision rests on',
  Appellant: 'Who appeals against a decision',
  AppealState: 'What became of an appeal',
  AppealOutcome: 'The answer to an appeal',
  NewerSaves: 'What a recall does with slots that were written since',
  RecallOutcome: 'What a recall comes to for a slot',
  CaseState: 'What a case waits for',
  CaseSort: 'What the list of cases is sorted by',
}

export interface Enumerations {
  /** The name of the enumeration at a place; undefined when the member is a text. */
  named: (place: string, values: unknown[]) => string | undefined
  /** The values of each enumeration that has been named. */
  values: Map<string, Set<string>>
}

export function enumerations(): Enumerations {
  const all = new Map<string, Set<string>>()
  return {
    values: all,
    named(place, given) {
      const values = given.filter((value) => typeof value === 'string')
      // StorageException.Code is a text too: a later version of the service may add codes.
      if (values.every((value) => value in errorCodes)) return undefined
      const name = place.includes('.') ? names[place] : place
      if (name === null) return undefined
      if (name === undefined)
        throw new Error(`Give the enumeration of ${place} a name in ${import.meta.url}.`)
      all.set(name, new Set([...(all.get(name) ?? []), ...values]))
      return name
    },
  }
}

export function enumerationSource({ values }: Enumerations): string {
  const sorted = [...values].sort(([a], [b]) => (a < b ? -1 : 1))
  const types = sorted.map(([name, members]) => {
    const what = summaries[name]
    if (!what) throw new Error(`Say what the enumeration ${name} is in ${import.meta.url}.`)
    const unknown = [...summary('A value that a later version of the service has added'), 'Unknown = 0,']
    const others = [...members].map((member) => [...summary(`\`${member}\``), `${pascal(member)},`])
    return [...summary(what), ...braced(`public enum ${name}`, spaced([unknown, ...others]))]
  })
  const readers = sorted.map(([name, members]) =>
    braced(
      `public static ${name}? Read${name}(string text)`,
      braced('switch (text)', [
        'case null: return null;',
        ...[...members].map((member) => `case ${text(member)}: return ${name}.${pascal(member)};`),
        `default: return ${name}.Unknown;`,
      ]),
    ),
  )
  const writers = sorted.map(([name, members]) =>
    braced(
      `public static string Text(${name}? value)`,
      braced('switch (value)', [
        'case null: return null;',
        ...[...members].map((member) => `case ${name}.${pascal(member)}: return ${text(member)};`),
        `default: throw Unsendable("${name}", value.Value.ToString());`,
      ]),
    ),
  )
  const refusal = braced('static ArgumentException Unsendable(string type, string value)', [
    'return new ArgumentException(type + "." + value + " can\'t be sent. Give one of the service\'s values.");',
  ])
  const texts = [
    ...element(
      'summary',
      "The texts of the values. A text that is unknown reads as <c>Unknown</c>, which can't be sent.",
    ),
    ...braced('static class Enumerations', spaced([...readers, ...writers, refusal])),
  ]
  return file(['System'], [...types, texts])
}
