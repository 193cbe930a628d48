import type * as records from '../records.ts'

type Social = 'friend_request' | 'friend_accepted'

/** The data of the notification that tells a grantee of a share, where the operator has turned it on. */
interface FileShared {
  share_id: string
  file_id: string
  owner_id: string
  name: string
}

/** The data of the notification that tells an owner of a decision about one of their things, or about themselves. */
interface DecisionMade {
  decision_id: string
  target: records.Target
  /** The name of the thing; null for a user. */
  name: string | null
  action: records.DecisionAction
}

/** The data of the notification that tells a reporter what became of a report. */
interface ReportDecided {
  report_id: string
  target: records.Target
  action: records.DecisionAction
}

/** The data of the notification that tells the answer to an appeal. */
interface AppealDecided {
  decision_id: string
  outcome: records.AppealOutcome
}

/** The service's own types, with their data. */
interface ServiceTypes extends Record<Social, records.NotificationData> {
  'file.shared': FileShared
  'moderation.decision': DecisionMade
  'moderation.report_decided': ReportDecided
  'moderation.appeal_decided': AppealDecided
}

/** The form of `createClient`'s type parameter: names with a dot, each with the type of its `data`. */
export type OwnTypes<Types> = { [Type in keyof Types]: Type extends `${string}.${string}` ? object : never }

/** The types of a client whose studio names none: any name with a dot, with any data. */
export type AnyOwnTypes = { [Type in `${string}.${string}`]: Record<string, unknown> }

/** A text that is none of the known types. An enumeration, because a comparison with another text excludes no `string`. */
declare enum UnknownType {
  any = 'a type that the client was not told',
}

/** A notification of one type. */
interface NotificationOf<Type extends string, Data extends object>
  extends Omit<records.Notification, 'type' | 'data'> {
  type: Type
  data: Data
}

type NotificationsOf<Types extends Record<keyof Types, object>> = {
  [Type in keyof Types & string]: NotificationOf<Type, Types[Type]>
}[keyof Types & string]

/**
 * A notification. A comparison of `type` tells the type of `data`; the service does not check the data of the game's own types.
 * Types that the client was not told come through, too.
 */
export type Notification<Types extends OwnTypes<Types> = AnyOwnTypes> =
  | NotificationsOf<ServiceTypes>
  | NotificationsOf<Types>
  | NotificationOf<UnknownType, Record<string, unknown>>

/** The types of notifications by which a list may be filtered. */
export type KnownType<Types extends OwnTypes<Types>> = keyof ServiceTypes | (keyof Types & string)

/** The types that a studio's services may publish, with their data. */
type Messages<Types extends OwnTypes<Types>> =
  | { type: Social; data: records.NotificationData }
  | OwnMessages<Types>

type OwnMessages<Types extends OwnTypes<Types>> = {
  [Type in keyof Types & string]: { type: Type; data: Types[Type] }
}[keyof Types & string]

type Without<Schema> = Omit<Schema, 'type' | 'data'>

/** The arguments of `notifications.publish`. */
export type Publication<Types extends OwnTypes<Types> = AnyOwnTypes> = Without<records.PublishNotification> &
  Messages<Types>

/** The arguments of `notifications.publishToMany`. */
export type BatchPublication<Types extends OwnTypes<Types> = AnyOwnTypes> = Without<records.PublishBatch> &
  Messages<Types>

/** The arguments of `announcements.publish`. */
export type NewAnnouncement<Types extends OwnTypes<Types> = AnyOwnTypes> =
  Without<records.PublishAnnouncement> & OwnMessages<Types>

/** An announcement in force. Types that the client was not told come through, too. */
export type Announcement<Types extends OwnTypes<Types> = AnyOwnTypes> = Without<records.Announcement> &
  (OwnMessages<Types> | { type: UnknownType; data: Record<string, unknown> })
