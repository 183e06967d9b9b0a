import { expect, test } from 'vitest'
import { isMostlyDialogue, samplesOf, speakersIn, spokenBy } from '../../../src/console/studio/import/dialogue.ts'

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

test.each([
  ['headings', ['Chapter One: The Sea', 'Chapter Two: The Shore', 'Part II: Home', 'Kapitel Eins: Das Meer']],
  ['counted points', ['First: open it.', 'Second: close it.', 'One: the sea.', 'Zweitens: zu.', 'II: home.']],
  ['sentences', ['He said: “Come.”', 'He said: “Go.”', 'There are two ways: one up.', 'There are two ways: down.']],
  ['lists', ['Pros: it is light.', 'Cons: it is dear.', 'Pros: it is old.', 'Cons: it is far.']],
])('%s before a colon are no speakers', (_, paragraphs) => {
  expect(speakersIn(paragraphs)).toEqual([])
})

test('names of several words are speakers, also with small words in them', () => {
  const names = ['Ludwig van Beethoven', 'First Witch', 'Speaker 1', 'Charles de Gaulle', 'Jeanne d’Arc', 'ანა']
  expect(speakersIn(names.map((name) => `${name}: Hello.`)).map(([name]) => name)).toEqual(names)
})

test('a text is a dialogue by itself only if most of it are lines of speakers who come again', () => {
  const isOne = (paragraphs: readonly string[]) => isMostlyDialogue(paragraphs, speakersIn(paragraphs))
  expect(isOne(['ANNA: Hello.\nBEN: Hi.', 'It is night.', 'ANNA: Come in.'])).toBe(true)
  expect(isOne(['Apple: a fruit.', 'Pear: a fruit.', 'Plum: a fruit.'])).toBe(false)
  expect(isOne(['It was night.', 'Anna: a name.', 'Anna: a word.', 'Nobody came.'])).toBe(false)
})

test('samples say what is dropped of the first lines', () => {
  expect(
    samplesOf(['Night.', 'ANNA (softly): Come in.\nBEN: Hi.', 'Note: x', 'BEN: Bye.'], ['ANNA', 'BEN'], 2),
  ).toEqual([
    { dropped: 'ANNA (softly):', text: 'Come in.' },
    { dropped: 'BEN:', text: 'Hi.' },
  ])
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
