import * as assets from '../../src/features/assets/schema.ts'
import * as versions from '../../src/features/assets/version-schema.ts'
import * as files from '../../src/features/files/schema.ts'
import * as notifications from '../../src/features/notifications/schema.ts'
import { Share } from '../../src/features/shares/schema.ts'
import * as uploads from '../../src/features/uploads/schema.ts'
import { BlockedPage } from '../../src/operators/moderation/schema.ts'
import { UserOverview } from '../../src/operators/users/schema.ts'

const [CompletedFile, CompletedAsset] = uploads.CompletedUpload.options

/** The schemas of records and pages, for `made`: `made(records.Share, answer, 201)`. */
export const records = {
  BatchResults: notifications.BatchResults,
  BlockedPage,
  Branch: assets.Branch,
  BranchPage: assets.BranchPage,
  CompletedAsset,
  CompletedFile,
  DownloadUrl: files.DownloadUrl,
  FileRecord: files.FileRecord,
  GameAsset: assets.GameAsset,
  GameAssetPage: assets.GameAssetPage,
  GameAssetWithVersions: assets.GameAssetWithVersions,
  Notification: notifications.Notification,
  NotificationPage: notifications.NotificationPage,
  PartUrls: uploads.PartUrls,
  Share,
  UserOverview,
  Version: versions.Version,
  VersionPage: versions.VersionPage,
}
