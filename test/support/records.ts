import { z } from '@hono/zod-openapi'
import { expect } from 'vitest'
import * as assets from '../../src/features/assets/schema.ts'
import * as versions from '../../src/features/assets/version-schema.ts'
import * as files from '../../src/features/files/schema.ts'
import * as safety from '../../src/features/moderation/schema.ts'
import { MutePage } from '../../src/features/mutes/schema.ts'
import * as notifications from '../../src/features/notifications/schema.ts'
import { QuotaBreakdown } from '../../src/features/quota/schema.ts'
import { Share } from '../../src/features/shares/schema.ts'
import * as uploads from '../../src/features/uploads/schema.ts'
import { AuditPage } from '../../src/operators/audit/schema.ts'
import * as moderation from '../../src/operators/moderation/schema.ts'
import { UserOverview } from '../../src/operators/users/schema.ts'

const [CompletedFile, CompletedAsset] = uploads.CompletedUpload.options

/** The schemas of records and pages, for `made`: `made(records.Share, answer, 201)`. */
export const records = {
  Appeal: safety.Appeal,
  AuditPage,
  BatchResults: notifications.BatchResults,
  BlockedPage: moderation.BlockedPage,
  Branch: assets.Branch,
  BranchPage: assets.BranchPage,
  CasePage: moderation.CasePage,
  CompletedAsset,
  CompletedFile,
  Decision: safety.Decision,
  DecisionPage: safety.DecisionPage,
  DownloadUrl: files.DownloadUrl,
  Figures: moderation.Figures,
  FileRecord: files.FileRecord,
  GameAsset: assets.GameAsset,
  GameAssetPage: assets.GameAssetPage,
  GameAssetWithVersions: assets.GameAssetWithVersions,
  ModeratorsDecision: safety.ModeratorsDecision,
  MutePage,
  Notification: notifications.Notification,
  NotificationPage: notifications.NotificationPage,
  PartUrls: uploads.PartUrls,
  Report: safety.Report,
  ReportPage: safety.ReportPage,
  Share,
  QuotaBreakdown,
  UserOverview,
  Version: versions.Version,
  VersionPage: versions.VersionPage,
  VersionUrl: versions.VersionUrl,
  WholeCase: moderation.WholeCase,
}

const { method, url, url_expires_at, headers } = uploads.SingleUpload.shape
const { multipart } = uploads.MultipartUpload.shape

/** The members of an upload, whatever its state. */
export const AnyUpload = uploads.UploadRecord.extend({
  state: z.enum(['open', 'processing', 'completed', 'failed']),
  ...z.object({ method, url, url_expires_at, headers, multipart }).partial().shape,
})

/** An upload of whatever state, for a test that knows which one it is; it has to be one that the service describes. */
export const Upload = AnyUpload.refine((upload) => uploads.Upload.safeParse(upload).success)
export type Upload = z.output<typeof Upload>

/** What the record of an item says that is private and at the root, beside what a test gives the item. */
export const fileRecord = {
  parent_id: null,
  is_public: false,
  created_at: expect.any(Number),
  updated_at: expect.any(Number),
}
