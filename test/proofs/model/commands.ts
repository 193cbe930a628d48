import { everyDatabase } from '../../support/databases.ts'
import type { Command } from './act.ts'
import * as announcements from './announcements.ts'
import { presignParts, sendContent } from './arriving.ts'
import * as versions from './asset-versions.ts'
import * as atOnce from './at-once.ts'
import * as branching from './branching.ts'
import * as catalogue from './catalogue.ts'
import * as channels from './channels.ts'
import { setVerdict } from './checking.ts'
import { abortUpload, completeUpload } from './completing.ts'
import * as favorites from './favorites.ts'
import * as files from './files.ts'
import * as assets from './game-assets.ts'
import * as listing from './listing.ts'
import * as moderation from './moderation.ts'
import { movePartition } from './moving.ts'
import * as mutes from './mutes.ts'
import * as notifications from './notifications.ts'
import * as operators from './operators.ts'
import { deletePreview, setPreview } from './previews.ts'
import { getProfiles, setProfile } from './profiles.ts'
import * as publicAssets from './public-assets.ts'
import * as quota from './quota.ts'
import * as releases from './releases.ts'
import * as running from './running.ts'
import * as shares from './shares.ts'
import { openSocket, whileListening } from './sockets.ts'
import { again, runJob, timePasses } from './time.ts'
import * as trash from './trash.ts'
import * as undelivered from './undelivered.ts'
import { getUpload, startUpload } from './uploads.ts'
import * as urls from './urls.ts'
import * as users from './users.ts'

/** With several databases their partitions move. */
const several: [command: Command, weight: number][] = everyDatabase.length > 1 ? [[movePartition, 5]] : []

/** Everything that can be done to the service, with how often it is done beside the others. */
const weighted: [command: Command, weight: number][] = [
  [files.createFolder, 5],
  [files.editFile, 5],
  [files.deleteFile, 3],
  [files.readFile, 2],
  [files.downloadUrl, 1],
  [urls.downloadUrls, 2],
  [atOnce.createContent, 3],
  [atOnce.replaceContent, 4],
  [atOnce.getContent, 2],
  [listing.listFiles, 3],
  [trash.listTrash, 1],
  [trash.restoreFile, 3],
  [trash.purgeFile, 2],
  [trash.emptyTrash, 2],
  [shares.createShare, 4],
  [shares.listSharesOfFile, 1],
  [shares.listSharedWithMe, 2],
  [shares.sharedUrl, 2],
  [shares.revokeShare, 2],
  [shares.leaveSharesOfOwner, 1],
  [startUpload, 8],
  [getUpload, 1],
  [presignParts, 4],
  [sendContent, 10],
  [completeUpload, 10],
  [abortUpload, 2],
  [setVerdict, 6],
  [assets.createAsset, 2],
  [assets.editAsset, 3],
  [assets.deleteAsset, 2],
  [assets.restoreAsset, 2],
  [assets.listAssets, 1],
  [branching.branchAsset, 4],
  [versions.rollBackAsset, 3],
  [versions.deleteVersion, 2],
  [channels.setChannel, 6],
  [channels.deleteChannel, 2],
  [channels.listChannels, 1],
  [releases.editVersion, 2],
  [releases.deleteVariant, 2],
  [releases.getUpdates, 2],
  [setPreview, 3],
  [deletePreview, 1],
  [favorites.setFavorite, 3],
  [favorites.deleteFavorite, 1],
  [favorites.listFavorites, 1],
  [mutes.muteUser, 3],
  [mutes.unmuteUser, 2],
  [mutes.listMutes, 1],
  [versions.getAsset, 1],
  [versions.listVersions, 1],
  [versions.getVersion, 1],
  [versions.getVersionUrl, 1],
  [urls.assetUrls, 2],
  [branching.listBranches, 1],
  [publicAssets.getPublicAsset, 1],
  [publicAssets.browseAssets, 3],
  [notifications.publishNotification, 4],
  [notifications.publishNotifications, 3],
  [notifications.markNotificationsRead, 2],
  [notifications.deleteNotification, 2],
  [notifications.deleteNotifications, 2],
  [notifications.listNotifications, 2],
  [notifications.countUnread, 1],
  [openSocket, 2],
  [whileListening, 4],
  [announcements.publishAnnouncement, 3],
  [announcements.listAnnouncements, 1],
  [announcements.deleteAnnouncement, 1],
  [setProfile, 3],
  [getProfiles, 1],
  [quota.setQuota, 1],
  [quota.getQuota, 2],
  [quota.getQuotaBreakdown, 2],
  [quota.getQuotaOfUser, 2],
  [operators.blockFile, 2],
  [operators.unblockFile, 1],
  [operators.blockAsset, 2],
  [operators.unblockAsset, 1],
  [operators.listBlocked, 1],
  [operators.eraseUser, 1],
  [moderation.createReport, 5],
  [moderation.listReports, 1],
  [moderation.getReport, 1],
  [moderation.openCase, 2],
  [moderation.getCase, 1],
  [moderation.listCases, 2],
  [moderation.getCaseContent, 1],
  [moderation.decide, 5],
  [moderation.getModeratorsDecision, 1],
  [moderation.liftDecision, 2],
  [moderation.listDecisions, 1],
  [moderation.getDecision, 1],
  [moderation.createAppeal, 4],
  [moderation.answerAppeal, 3],
  [moderation.getFigures, 1],
  [moderation.blockWithStatement, 2],
  [operators.listAuditEntries, 1],
  [users.getUser, 2],
  [running.getShards, 1],
  [running.getJob, 1],
  [running.movePartitions, 2],
  [running.undoMove, 1],
  [running.getReconcileExtent, 1],
  [running.reconcilePage, 3],
  [catalogue.getCatalogue, 1],
  [catalogue.writeCatalogue, 1],
  [undelivered.newEvent, 2],
  [undelivered.parks, 2],
  [undelivered.listUndeliveredEvents, 1],
  [undelivered.resendEvents, 2],
  [undelivered.discardEvents, 1],
  [again, 6],
  [runJob, 2],
  [timePasses, 2],
  ...several,
]

export const commands: readonly Command[] = weighted.map(([command]) => command)

/** The same, each as often as its weight says. */
export const mixture: readonly Command[] = weighted.flatMap(([command, weight]) =>
  Array.from({ length: weight }, () => command),
)
