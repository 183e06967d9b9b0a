import { describe, expect, test } from 'vitest'
import { type LiveState, whenHeard, whenLoaded } from '../../../src/console/jobs/live-rows.ts'

type Job = { id: string; status: string; createdAt: string }

/** The later its letter, the later it was accepted. */
const job = (id: string, status: string): Job => ({
  id,
  status,
  createdAt: `2026-03-02T12:00:0${id.charCodeAt(0) - 97}Z`,
})
const shownBy = ({ rows, newer }: LiveState<Job>) => [rows.map(({ id, status }) => `${id} ${status}`), [...newer]]
const opened = (loaded: readonly Job[]): LiveState<Job> => ({ rows: loaded, newer: new Set(), heard: new Map() })

const LOADED = [job('b', 'PROCESSING'), job('a', 'QUEUED')]
const FAILED = { statuses: ['FAILED'] } as const

describe('rows, when jobs are heard of', () => {
  test('change where they stand, and what has begun and ended since they were asked for is counted as newer', () => {
    const heard = [job('b', 'COMPLETED'), job('c', 'FAILED'), job('d', 'QUEUED')]
    expect(shownBy(whenHeard(opened(LOADED), heard, { loaded: LOADED, filter: {}, at: 1 }))).toEqual([
      ['b COMPLETED', 'a QUEUED'],
      ['c', 'd'],
    ])
  })

  test('count what comes into the states of their list, and no more once it has left them', () => {
    const loaded = [job('d', 'FAILED'), job('a', 'FAILED')]
    const list = { loaded, filter: { statuses: [...FAILED.statuses] }, at: 1 }
    const once = whenHeard(opened(loaded), [job('b', 'FAILED'), job('c', 'COMPLETED')], list)
    expect(shownBy(once)[1]).toEqual(['b'])
    expect(shownBy(whenHeard(once, [job('b', 'QUEUED')], list))[1]).toEqual([])
  })
})

describe('rows that are loaded anew', () => {
  const before = whenHeard(opened([]), [job('a', 'COMPLETED')], { loaded: [], filter: {}, at: 10 })
  const heard = whenHeard(before, [job('b', 'FAILED'), job('c', 'COMPLETED')], { loaded: [], filter: {}, at: 20 })

  test('take what was heard since they were asked for, and count what they lack', () => {
    const state = whenLoaded(heard, { loaded: LOADED, filter: {}, askedAt: 20 })
    expect(shownBy(state)).toEqual([['b FAILED', 'a QUEUED'], ['c']])
    expect([...state.heard.keys()]).toEqual(['b', 'c'])
  })

  test('know by themselves what was heard before that', () => {
    expect(shownBy(whenLoaded(heard, { loaded: LOADED, filter: {}, askedAt: 21 }))).toEqual([
      ['b PROCESSING', 'a QUEUED'],
      [],
    ])
  })

  test('forget what was heard longer ago than a list takes', () => {
    const later = whenHeard(heard, [job('d', 'QUEUED')], { loaded: [], filter: {}, at: 60_015 })
    expect([...later.heard.keys()]).toEqual(['b', 'c', 'd'])
    expect([...whenHeard(later, [], { loaded: [], filter: {}, at: 60_021 }).heard.keys()]).toEqual(['d'])
  })

  test('keep the newest two thousand of what was heard, a job once, and the rows that are shown as they are', () => {
    const ended = Array.from({ length: 2400 }, (_, n) => ({ ...job('z', 'FAILED'), id: `job ${n}` }))
    const list = { loaded: LOADED, filter: {}, at: 1 }
    const once = whenHeard(whenHeard(opened(LOADED), [job('b', 'COMPLETED')], list), ended.slice(0, 1500), list)
    const again = whenHeard(whenHeard(once, ended.slice(0, 500), list), ended.slice(1500), list)
    const { heard } = again
    expect([heard.size, heard.has('job 899'), heard.has('job 900'), heard.has('job 0')]).toEqual([
      ...[2000, false, true, true],
    ])
    expect(shownBy(again)[0]).toEqual(['b COMPLETED', 'a QUEUED'])
  })
})
