/**
 * What the client calls each operation: its noun, and its method there. A studio's nouns are in the entry `…/studio`. Operations
 * whose request or answer is bytes, or has the game's own types, are written by hand in client/src, as is the one whose answer may have no ETag.
 */
export const nouns: Record<string, { about: string; methods: Record<string, string> }> = {
  files: {
    about: 'Files and folders.',
    methods: {
      listFiles: 'list',
      createFolder: 'createFolder',
      getFile: 'get',
      editFile: 'edit',
      deleteFile: 'delete',
      getDownloadUrl: 'getUrl',
      getDownloadUrls: 'getUrls',
    },
  },
  trash: {
    about: 'What was deleted, and can be restored.',
    methods: { listTrash: 'list', restoreFile: 'restore', purgeFile: 'delete', emptyTrash: 'empty' },
  },
  uploads: {
    about: 'The steps of an upload, one by one. `files.upload` and `assets.upload` take all of them.',
    methods: {
      startUpload: 'start',
      getUpload: 'get',
      presignParts: 'presignParts',
      completeUpload: 'complete',
      abortUpload: 'abort',
    },
  },
  shares: {
    about: 'Files that are shared with single users.',
    methods: {
      createShare: 'create',
      listSharesOfFile: 'listOfFile',
      listSharedWithMe: 'listSharedWithMe',
      getSharedUrl: 'getUrl',
      revokeShare: 'revoke',
      leaveSharesOfOwner: 'leaveOwner',
    },
  },
  quota: { about: 'The storage of the user.', methods: { getQuota: 'get', getQuotaBreakdown: 'breakdown' } },
  profiles: {
    about: 'The pictures of users.',
    methods: { getProfiles: 'get', setProfile: 'set' },
  },
  assets: {
    about: 'Game assets of the user: worlds, avatars and props, with their versions.',
    methods: {
      listAssets: 'list',
      createAsset: 'create',
      editAsset: 'edit',
      deleteAsset: 'delete',
      restoreAsset: 'restore',
      branchAsset: 'branch',
      listBranches: 'listBranches',
      listVersions: 'listVersions',
      getVersion: 'getVersion',
      editVersion: 'editVersion',
      deleteVersion: 'deleteVersion',
      deleteVariant: 'deleteVariant',
      listChannels: 'listChannels',
      setChannel: 'setChannel',
      deleteChannel: 'deleteChannel',
      getUpdates: 'getUpdates',
      rollBackAsset: 'rollBack',
      getVersionUrl: 'getUrl',
      getAssetUrls: 'getUrls',
      deletePreview: 'deletePreview',
    },
  },
  catalogue: {
    about: 'The public assets of all users.',
    methods: { browseAssets: 'list', getPublicAsset: 'get' },
  },
  favorites: {
    about: 'The assets that the user has marked.',
    methods: { listFavorites: 'list', setFavorite: 'add', deleteFavorite: 'remove' },
  },
  mutes: {
    about: 'The users whom the user has muted.',
    methods: { listMutes: 'list', muteUser: 'add', unmuteUser: 'remove' },
  },
  saves: {
    about: 'The requests of saves that have no bytes.',
    methods: {
      listSaves: 'list',
      listSaveRevisions: 'listRevisions',
      restoreSave: 'restore',
      deleteSave: 'delete',
    },
  },
  reports: {
    about: 'What the user has reported, and what became of it.',
    methods: { createReport: 'create', listReports: 'list', getReport: 'get' },
  },
  decisions: {
    about: 'What moderators decided about the user’s things.',
    methods: { listDecisions: 'list', getDecision: 'get', createAppeal: 'appeal' },
  },
  inbox: {
    about: 'The notifications of the user.',
    methods: {
      countUnread: 'countUnread',
      markNotificationsRead: 'markRead',
      deleteNotification: 'delete',
      deleteNotifications: 'deleteMany',
    },
  },
  studioQuota: {
    about: 'The storage of any user.',
    methods: { getQuotaOfUser: 'get', setQuotaOfUser: 'set' },
  },
  studioUsers: { about: 'What a user has.', methods: { getUser: 'get', eraseUser: 'erase' } },
  studioUploads: { about: 'The check of content.', methods: { setVerdict: 'setVerdict' } },
  studioModeration: {
    about: 'What is hidden from everybody except its owner, and the figures of moderation.',
    methods: {
      listBlocked: 'listBlocked',
      blockFile: 'blockFile',
      unblockFile: 'unblockFile',
      blockAsset: 'blockAsset',
      unblockAsset: 'unblockAsset',
      getFigures: 'getFigures',
    },
  },
  studioCases: {
    about: 'The queue of moderators: everything about one thing is a case.',
    methods: {
      listCases: 'list',
      openCase: 'open',
      getCase: 'get',
      getCaseContent: 'getContent',
      decide: 'decide',
      answerAppeal: 'answerAppeal',
    },
  },
  studioDecisions: {
    about: 'What moderators decided.',
    methods: { getModeratorsDecision: 'get', liftDecision: 'lift' },
  },
  studioAudit: { about: 'What was done under a scope.', methods: { listAuditEntries: 'list' } },
  studioRecalls: {
    about: 'Saves of all players that go back to before a time.',
    methods: { createRecall: 'create', listRecalls: 'list', endRecall: 'end' },
  },
  studioAnnouncements: {
    about: 'Notifications for all users.',
    methods: { deleteAnnouncement: 'delete' },
  },
}

/** The operations that are written by hand, with the call of the client that sends them. */
export const byHand: Record<string, string> = {
  createContent: 'files.upload',
  replaceContent: 'files.upload',
  getContent: 'files.download',
  getAsset: 'assets.get',
  setPreview: 'assets.setPreview',
  writeSave: 'saves.write',
  readSave: 'saves.read',
  listNotifications: 'inbox.list',
  publishNotification: 'notifications.publish',
  publishNotifications: 'notifications.publishToMany',
  listAnnouncements: 'announcements.list',
  publishAnnouncement: 'announcements.publish',
}

/** The nouns of a studio have a name of their own in the generated source, and none in their calls. */
const STUDIO = 'studio'

/** How an application calls an operation; undefined for those that it does not send, like the socket's. */
export function callOf(operationId: string): { isStudio: boolean; call: string } | undefined {
  const written = byHand[operationId]
  if (written) return { isStudio: /^(notifications|announcements)\./.test(written), call: written }
  for (const [noun, { methods }] of Object.entries(nouns)) {
    const method = methods[operationId]
    if (!method) continue
    const isStudio = noun.startsWith(STUDIO)
    const shown = isStudio ? noun.slice(STUDIO.length).toLowerCase() : noun
    return { isStudio, call: `${shown}.${method}` }
  }
  return undefined
}
