import { describe, expect, it } from 'vitest'
import { kindOf, sentenceOf, whatHappened } from '../../console/src/inbox/what-happened.ts'

const told = (type: string, data: Record<string, unknown>) => whatHappened({ type: `game.${type}`, data })
const said = (type: string, data: Record<string, unknown>) => sentenceOf(told(type, data))

describe('the sentence of a notification', () => {
  it.each([
    ['friend_request', { from_user_id: 7, from_display_name: 'Grace' }, 'Friend request from Grace'],
    ['friend_accepted', { from_user_id: 7, from_display_name: 'Grace' }, 'You are friends now: Grace'],
    ['file.shared', { name: 'a.png', owner_id: 'ada' }, 'A file was shared with you: a.png'],
  ])('is its own for %s', (type, data, sentence) => {
    expect(sentenceOf(whatHappened({ type, data }))).toBe(sentence)
  })

  it('names what it is about, by any of its members', () => {
    expect(said('gift', { name: 'Golden sword' })).toBe('Gift: Golden sword')
    expect(said('gift', { gift: 'Golden sword' })).toBe('Gift: Golden sword')
    expect(said('gift', { gift_id: 'golden-sword', item: '' })).toBe('Gift: Golden sword')
    expect(said('gift', { gift_id: 'order-4711' })).toBe('Gift')
    expect(said('gift', { name: 3 })).toBe('Gift')
  })

  it('is the title, when it has one, and then its text', () => {
    expect(said('message', { title: 'Welcome', text: 'Come in.', name: 'x' })).toBe('Welcome. Come in.')
  })

  it('says what was done to what, and whose turn it is', () => {
    expect(kindOf('world.branched')).toBe('World branched')
    expect(kindOf('chess_club.match.turn')).toBe('Your turn')
    expect(kindOf('shop.daily_reward')).toBe('Daily reward')
  })
})

describe('the fields behind it', () => {
  it('are what is not said yet, in words, without ids, lists and objects', () => {
    const { fields, from, icon } = told('trophy', {
      ...{ name: 'First', from: 'Ada', rank_points: 12_500, is_new: false, note: 'Well done' },
      ...{ match_id: 'm1', ids: [1], more: {}, none: null, empty: '' },
    })
    expect(fields).toEqual([
      { name: 'Rank points', value: '12,500' },
      { name: 'Is new', value: 'No' },
      { name: 'Note', value: 'Well done' },
    ])
    expect([from, icon]).toEqual(['Ada', 'trophy'])
  })

  it('have times as times, where the name says so', () => {
    const [ends, seed] = told('sale', { ends_at: 1_795_285_800, seed: 1_795_285_800 }).fields
    expect(ends?.value).toContain('2026')
    expect(seed?.value).toBe('1,795,285,800')
  })
})
