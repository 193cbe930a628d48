/** The POST and PATCH operations whose repetition has no further effect. */
const repeatable = [
  'presignParts',
  'completeUpload',
  'getProfiles',
  'getDownloadUrls',
  'getAssetUrls',
  'getUpdates',
  'createAppeal',
  'openCase',
  'getCaseContent',
]

/** Whether a request may be repeated after a failure that leaves its effect unknown. */
export function mayBeRepeated(operationId: string, method: string, inPath: string[]): boolean {
  // A DELETE without a parameter in its path deletes a whole list: a repetition would also delete later items.
  if (method === 'DELETE') return inPath.length > 0
  return !['POST', 'PATCH'].includes(method) || repeatable.includes(operationId)
}
