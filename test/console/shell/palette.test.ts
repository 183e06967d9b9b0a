import { expect, test } from 'vitest'
import { foundOffers, jobsFilterOf, movedChoice } from '../../../src/console/shell/palette/palette.ts'

const offer = (name: string, kind: string) => ({ id: name, name, kind, choose: () => {} })
const OFFERS = [
  offer('Audit log', 'Page'),
  offer('Jobs', 'Page'),
  offer('New API key', 'Do'),
  offer('API keys', 'Page'),
]
const namesOf = (text: string) => foundOffers(OFFERS, text).map(({ name }) => name)

test('words find offers in any order and case, those that begin with them first', () => {
  expect(namesOf(' api KEY')).toEqual(['API keys', 'New API key'])
  expect(namesOf('page jo')).toEqual(['Jobs'])
  expect(namesOf('nothing')).toEqual([])
})

test('without words there are the first ones, no more than fit', () => {
  expect(namesOf('')).toEqual(OFFERS.map(({ name }) => name))
  expect(
    foundOffers(
      Array.from({ length: 20 }, (_, index) => offer(`Voice ${index}`, 'Voice')),
      'voice',
    ).length,
  ).toBe(12)
})

test('a text finds jobs by the beginning of an id or by words, and nothing under two characters or beyond what the service takes', () => {
  const texts = ['', ' a ', '好', 'one '.repeat(11), 'x'.repeat(201), 'job_', 'job_01M8', ' The lamp ']
  expect(texts.map(jobsFilterOf)).toEqual([
    null,
    null,
    null,
    null,
    null,
    { words: 'job_' },
    { idPrefix: 'job_01m8' },
    { words: 'The lamp' },
  ])
})

test('arrows go around the list, Home and End to its ends, and other keys nowhere', () => {
  const moved = (key: string, chosen: number, offers: number) => movedChoice(key, chosen, offers)
  expect([moved('ArrowDown', 2, 3), moved('ArrowUp', 0, 3), moved('Home', 2, 3), moved('End', 0, 3)]).toEqual([
    0, 2, 0, 2,
  ])
  expect([moved('a', 1, 3), moved('ArrowDown', 0, 0), moved('End', 0, 0)]).toEqual([null, 0, 0])
})
