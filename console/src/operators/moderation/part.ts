/** The first segment of the address of the moderators' pages, among the operators' tools. */
export const MODERATION_PART = 'moderation'
