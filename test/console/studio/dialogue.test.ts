import { expect, test } from 'vitest'
import { speakersIn, spokenBy } from '../../../src/console/studio/import/dialogue.ts'

test('names before a colon at the beginning of lines are speakers, in any script, with the number of their lines', () => {
  expect(speakersIn(['ANNA: Hello.\nBEN: Hi.', 'Anna speaks: she did.', 'ANNA (softly): Come in.'])).toEqual([
    ['ANNA', 2],
    ['BEN', 1],
  ])
  expect(speakersIn(['Anna: Hello.', 'Mr. O’Neill: Hi.'])).toEqual([
    ['Anna', 1],
    ['Mr. O’Neill', 1],
  ])
  expect(speakersIn(['太郎：こんにちは。', '花子（小声で）：はい。'])).toEqual([
    ['太郎', 1],
    ['花子', 1],
  ])
  expect(speakersIn(['Анна: Привет.', 'Иван: Да.'])).toEqual([
    ['Анна', 1],
    ['Иван', 1],
  ])
})

test('one line is no dialogue, and neither are notes, addresses, times and sentences with a colon', () => {
  expect(speakersIn(['ANNA: Hello.'])).toEqual([])
  expect(
    speakersIn(['Note: one.', 'Note: two.', 'http://a.b', 'https://a.b', 'Hinweis: x', '10:30 it was', '12: twelve']),
  ).toEqual([])
  expect(speakersIn(['There is one thing that matters: time.', 'there was: nothing', 'he said: yes'])).toEqual([])
})

test('lines are parted by speaker, and lose the name; how a line is said stands beside it', () => {
  const paragraphs = ['It is night.', 'ANNA (softly): Come in.\nIt is cold.\nBEN: Thanks!', 'Note: nobody sees them.']
  expect(spokenBy(paragraphs, ['ANNA', 'BEN'])).toEqual([
    { text: 'It is night.', speaker: null, manner: null },
    { speaker: 'ANNA', manner: 'softly', text: 'Come in.\nIt is cold.' },
    { speaker: 'BEN', manner: null, text: 'Thanks!' },
    { text: 'Note: nobody sees them.', speaker: null, manner: null },
  ])
})
