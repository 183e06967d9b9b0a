import { expect, test } from 'vitest'
import { foundOffers } from '../../../src/console/shell/palette/palette.ts'

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
  ).toBe(8)
})
