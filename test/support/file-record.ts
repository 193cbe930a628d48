import { expect } from 'vitest'

/** What the record of an item says that is private and at the root, beside what a test gives the item. */
export const fileRecord = {
  parent_id: null,
  is_public: false,
  created_at: expect.any(Number),
  updated_at: expect.any(Number),
}
