/** The name of the screen, and the first part of every query key about the user's reports and decisions. */
export const SAFETY = 'safety'
