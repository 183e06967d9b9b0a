import { describe, expect, test } from 'vitest'
import {
  addParagraphs,
  beginChapter,
  changeCast,
  changeChapter,
  changeParagraph,
  type Edited,
  excessOf,
  joinChapter,
  joinParagraph,
  moveChapter,
  moveParagraph,
  pasteBlocks,
  removeChapter,
  removeParagraph,
  splitParagraph,
} from '../../../src/console/studio/model/edit.ts'
import { begun, caretOf, changed, ended, redone, typingKey, undone } from '../../../src/console/studio/model/history.ts'
import { castOf, projectChapters } from '../../../src/console/studio/model/import-project.ts'
import { areAlike, areSame, type Project, paragraphOf, settingsOf } from '../../../src/console/studio/model/project.ts'
import { changesOf, nextStep, rescued, withChanges } from '../../../src/console/studio/model/save.ts'

/** Two chapters, `one` with the paragraphs a, b and c, and `two` with d. */
const PROJECT: Project = {
  name: 'Book',
  settings: {},
  speakers: castOf(['ANNA', 'BEN']),
  chapters: [
    {
      ...{ key: 'one', title: 'One', settings: {} },
      paragraphs: ['a', 'b', 'c'].map((key) => paragraphOf(`${key} first. ${key} second.`, { key, speaker: 'ANNA' })),
    },
    { key: 'two', title: 'Two', settings: {}, paragraphs: [paragraphOf('d text.', { key: 'd' })] },
  ],
}

const long = (key: string, size: number) => ({
  ...{ key, title: key, settings: {} },
  paragraphs: Array.from({ length: size }, (_, at) =>
    paragraphOf('x'.repeat(100), { key: `${key}${at}`, speaker: 'ANNA' }),
  ),
})

const texts = ({ chapters }: Project) => chapters.map(({ paragraphs }) => paragraphs.map(({ text }) => text))
const keys = ({ chapters }: Project) => chapters.map(({ paragraphs }) => paragraphs.map(({ key }) => key))
const shown = ({ project, focus }: Edited) => [texts(project), focus?.caret]

describe('paragraphs', () => {
  test('are parted with speaker and settings, and joined where they were parted', () => {
    const parted = splitParagraph(PROJECT, 'b', 'b first.'.length)
    expect(shown(parted)).toEqual([
      [['a first. a second.', 'b first.', 'b second.', 'c first. c second.'], ['d text.']],
      0,
    ])
    expect(parted.project.chapters[0]!.paragraphs[2]!.speaker).toBe('ANNA')
    const joined = joinParagraph(parted.project, parted.focus!.key)
    expect(shown(joined)).toEqual([texts(PROJECT), 'b first.'.length])
    expect(joined.focus!.key).toBe('b')
  })

  test('keep their takes with their words: parted at the beginning, the one with the words is the one from before', () => {
    const { project, focus } = splitParagraph(PROJECT, 'b', 0)
    expect(texts(project)[0]).toEqual(['a first. a second.', '', 'b first. b second.', 'c first. c second.'])
    expect(focus!.key).toBe('b')
    expect(keys(joinParagraph(project, 'b').project)).toEqual(keys(PROJECT))
    expect(joinParagraph(PROJECT, 'a').project).toBe(PROJECT)
  })

  test('that are pasted go on with the text around them once, and keep the speaker', () => {
    const at = 'b first.'.length
    const pasted = pasteBlocks(PROJECT, 'b', { start: at, end: at }, ['x', 'y', 'x'])
    expect(shown(pasted)).toEqual([
      [['a first. a second.', 'b first.x', 'y', 'x b second.', 'c first. c second.'], ['d text.']],
      1,
    ])
    const { paragraphs } = pasted.project.chapters[0]!
    expect([paragraphs[1]!.key, paragraphs[3]!.key, paragraphs[3]!.speaker]).toEqual(['b', pasted.focus!.key, 'ANNA'])
    expect(shown(pasteBlocks(PROJECT, 'd', { start: 0, end: 7 }, ['x']))[0]).toEqual([texts(PROJECT)[0], ['x']])
  })

  test('that are too long to be one are pasted as several, with each of their words', () => {
    const long = 'A word. '.repeat(1500).trim()
    const { project } = pasteBlocks(PROJECT, 'd', { start: 2, end: 2 }, [long])
    expect(texts(project)[1]!.every((text) => text.length <= 10_000)).toBe(true)
    expect(texts(project)[1]!.join(' ')).toBe(`d ${long}text.`)
    expect(excessOf(project)).toBe(null)
  })

  test('are more than a service takes where one is too long, or a chapter has too many', () => {
    const long = changeParagraph(PROJECT, 'a', { text: 'x'.repeat(9990) })
    expect(excessOf(long)).toBe(null)
    expect(excessOf(joinParagraph(long, 'b').project)).toBe('A paragraph takes 10,000 characters.')
    const many = pasteBlocks(PROJECT, 'd', { start: 0, end: 0 }, Array(2001).fill('x')).project
    expect(excessOf(many)).toMatch('A chapter takes 2,000 paragraphs')
  })

  test('move by one place, over the border of a chapter, and stay at the ends of the project', () => {
    expect(keys(moveParagraph(PROJECT, 'b', -1).project)).toEqual([['b', 'a', 'c'], ['d']])
    expect(keys(moveParagraph(PROJECT, 'c', 1).project)).toEqual([
      ['a', 'b'],
      ['c', 'd'],
    ])
    expect(moveParagraph(PROJECT, 'a', -1).project).toBe(PROJECT)
    expect(moveParagraph(PROJECT, 'd', 1).project).toBe(PROJECT)
    const emptied = moveParagraph(PROJECT, 'd', -1).project
    expect([keys(emptied)[0], texts(emptied)[1]]).toEqual([['a', 'b', 'c', 'd'], ['']])
  })

  test('are added and removed with the caret in the next one; the last of a chapter leaves an empty one', () => {
    const added = addParagraphs(PROJECT, 'a', [paragraphOf('new', { key: 'n' })])
    expect([keys(added.project)[0], added.focus?.key]).toEqual([['a', 'n', 'b', 'c'], 'n'])
    const removed = removeParagraph(PROJECT, 'c')
    expect([keys(removed.project)[0], removed.focus?.key]).toEqual([['a', 'b'], 'b'])
    expect(texts(removeParagraph(PROJECT, 'd').project)[1]).toEqual([''])
  })
})

test('chapters begin at a paragraph, are joined, moved and removed, but for the last one', () => {
  const begin = beginChapter(PROJECT, 'b', 'New')
  expect([keys(begin), begin.chapters.map(({ title }) => title)]).toEqual([
    [['a'], ['b', 'c'], ['d']],
    ['One', 'New', 'Two'],
  ])
  expect(keys(joinChapter(begin, begin.chapters[1]!.key))).toEqual(keys(PROJECT))
  expect(keys(moveChapter(PROJECT, 'two', -1))).toEqual([['d'], ['a', 'b', 'c']])
  expect(moveChapter(PROJECT, 'two', 1)).toBe(PROJECT)
  const last = removeChapter(PROJECT, 'one')
  expect([keys(last), removeChapter(last, 'two')]).toEqual([[['d']], last])
})

test('a field is the paragraph’s own, else its speaker’s, its chapter’s, or the project’s, and inputs one by one', () => {
  const project: Project = {
    ...PROJECT,
    settings: { endpoint: 'espeak', voice: 'emma', inputs: { speed: 1, language: 'English' }, pauseMs: 400 },
    speakers: [{ name: 'ANNA', settings: { voice: 'anna', inputs: { style: 'calm' } } }],
  }
  const chapter = { ...project.chapters[0]!, settings: { voice: 'george', pauseMs: 800 } }
  const paragraph = paragraphOf('x', { speaker: 'ANNA', settings: { inputs: { speed: 2 } } })
  expect(settingsOf(project, chapter, paragraph)).toEqual({
    ...{ endpoint: 'espeak', voice: 'anna', pauseMs: 800 },
    inputs: { speed: 2, language: 'English', style: 'calm' },
  })
  expect(settingsOf(project, chapter, paragraphOf('x')).voice).toBe('george')
  const elsewhere = { ...chapter, settings: { endpoint: 'other' } }
  expect(settingsOf(project, elsewhere, paragraphOf('x'))).toEqual({
    ...{ endpoint: 'other', voice: null, inputs: {}, pauseMs: project.settings.pauseMs ?? null },
  })
  expect(areAlike({ inputs: { a: 1, b: 2 } }, { inputs: { b: 2, a: 1 }, voice: null, pauseMs: 3 })).toBe(true)
  expect(areAlike({ voice: 'a' }, { voice: 'b' })).toBe(false)
})

test('a renamed speaker keeps the lines, and those of one who is gone are the narrator’s', () => {
  const changed = changeCast(PROJECT, [{ name: 'ANNE', settings: {}, before: 'ANNA' }])
  expect(changed.chapters[0]!.paragraphs.map(({ speaker }) => speaker)).toEqual(['ANNE', 'ANNE', 'ANNE'])
  expect(changed.chapters[1]).toBe(PROJECT.chapters[1])
  expect(changeCast(PROJECT, []).chapters[0]!.paragraphs.map(({ speaker }) => speaker)).toEqual([null, null, null])
})

test('steps are undone and done again; letters of one paragraph are one step, and a new step ends what was undone', () => {
  const typed = ['x', 'xy', 'xyz'].reduce(
    (history, text) => changed(history, changeParagraph(history.project, 'd', { text }), 'd', 0),
    begun(PROJECT),
  )
  const moved = changed(typed, moveChapter(typed.project, 'two', -1))
  const once = undone(moved)!
  expect(texts(once.project)[1]).toEqual(['xyz'])
  const twice = undone(once)!
  expect([twice.project, undone(twice)]).toEqual([PROJECT, null])
  expect(redone(redone(twice)!)!.project).toBe(moved.project)
  expect(redone(changed(twice, typed.project))).toBeNull()
  expect(changed(typed, typed.project)).toBe(typed)
})

test('a pause, a deleted selection and a paste end a step of typing, so that each can be undone by itself', () => {
  const history = [
    ['Old. x', 'insertText', 0],
    ['Old. xy', 'insertText', 900],
    ['Old. xyz', 'insertText', 1900],
    ['Old. xy', 'deleteContentBackward', 2000],
    ['Old. x', 'deleteContentBackward', 2100],
    ['Old. x pasted', 'insertFromPaste', 2200],
    ['Old. x pasted!', 'insertText', 2300],
  ].reduce(
    (before, [text, inputType, at]) =>
      changed(
        before,
        changeParagraph(before.project, 'd', { text: String(text) }),
        typingKey('d', String(inputType)),
        Number(at),
      ),
    begun(PROJECT),
  )
  const deleted = changed(ended(history), changeParagraph(history.project, 'd', { text: '' }), 'delete d', 2400)
  const seen: string[] = []
  for (let one = undone(deleted); one !== null; one = undone(one)) seen.push(texts(one.project)[1]![0]!)
  expect(seen).toEqual(['Old. x pasted!', 'Old. x pasted', 'Old. x', 'Old. xyz', 'Old. xy', 'd text.'])
})

test('the caret goes where a step has changed something', () => {
  const changedText = changeParagraph(PROJECT, 'b', { text: 'b first, b second.' })
  expect(caretOf(PROJECT, changedText)).toEqual({ key: 'b', caret: 'b first,'.length })
  const parted = splitParagraph(PROJECT, 'b', 'b first.'.length).project
  expect(caretOf(parted, PROJECT)).toEqual({ key: 'b', caret: 'b first. b second.'.length })
  expect(caretOf(removeParagraph(PROJECT, 'b').project, PROJECT)?.key).toBe('b')
  expect(caretOf(PROJECT, removeChapter(PROJECT, 'two'))?.key).toBe('c')
  expect(caretOf(PROJECT, changeChapter(PROJECT, 'one', { title: 'x' }))).toBeNull()
})

test('what the service gives back is the same content, in any order of inputs and without empty paragraphs', () => {
  const inputs = (one: Record<string, unknown>) => changeParagraph(PROJECT, 'd', { settings: { inputs: one } })
  expect(areSame(inputs({ speed: 1, style: 'calm' }), inputs({ style: 'calm', speed: 1 }))).toBe(true)
  expect(areSame(PROJECT, inputs({}))).toBe(true)
  expect(areSame(PROJECT, addParagraphs(PROJECT, 'a', [paragraphOf(' ')]).project)).toBe(true)
  expect(areSame(PROJECT, inputs({ speed: 1 }))).toBe(false)
  expect(areSame(PROJECT, changeParagraph(PROJECT, 'd', { text: 'd text!' }))).toBe(false)
  expect(areSame(PROJECT, moveParagraph(PROJECT, 'c', 1).project)).toBe(false)
})

/** The keys of the paragraphs of each save on the way; each is one that the service takes. */
function saves(saved: Project, now: Project): string[][] {
  const found: string[][] = []
  for (let at = saved; changesOf(at, now) !== null && found.length < 10; ) {
    const next = nextStep(at, now)
    const paragraphs = next.chapters.flatMap((chapter) => chapter.paragraphs)
    expect(new Set(paragraphs.map(({ key }) => key)).size).toBe(paragraphs.length)
    const names = new Set<string | null>([null, ...next.speakers.map(({ name }) => name)])
    expect(paragraphs.filter(({ speaker }) => !names.has(speaker))).toEqual([])
    const sent = changesOf(at, next)?.chapters ?? []
    expect(JSON.stringify(sent).length).toBeLessThan(1_000_000)
    found.push(sent.map(({ key, paragraphs: text }) => `${key} ${text?.length}`))
    at = next
  }
  return found
}

describe('a save', () => {
  test('sends what has changed: of other chapters their keys alone', () => {
    expect(changesOf(PROJECT, PROJECT)).toBeNull()
    expect(changesOf(PROJECT, { ...PROJECT, name: 'Novel' })).toEqual({ name: 'Novel' })
    const { chapters, ...rest } = changesOf(PROJECT, changeParagraph(PROJECT, 'd', { text: 'x' }))!
    expect([rest, chapters?.map(({ key, paragraphs }) => [key, paragraphs?.length])]).toEqual([
      {},
      [
        ['one', undefined],
        ['two', 1],
      ],
    ])
    const titled = changesOf(PROJECT, changeChapter(PROJECT, 'one', { title: 'First' }))
    expect(titled?.chapters).toEqual([
      { key: 'one', title: 'First', settings: {} },
      { key: 'two', title: 'Two', settings: {} },
    ])
  })

  test('of a long text comes in several parts, each with the chapters that were sent before', () => {
    const chapters = [PROJECT.chapters[1]!, ...['x', 'y', 'z'].map((key) => long(key, 1900))]
    expect(saves(PROJECT, { ...PROJECT, name: 'Long', chapters })).toEqual([
      ['two undefined', 'x 1900'],
      ['two undefined', 'x undefined', 'y 1900'],
      ['two undefined', 'x undefined', 'y undefined', 'z 1900'],
    ])
  })

  test('of a long text keeps old names in the cast until no paragraph has them', () => {
    const book = { ...PROJECT, chapters: ['x', 'y'].map((key) => long(key, 1900)) }
    const renamed = changeCast(book, [{ name: 'ANNE', settings: {}, before: 'ANNA' }])
    expect(saves(book, renamed)).toEqual([
      ['x 1900', 'y undefined'],
      ['x undefined', 'y 1900'],
    ])
  })

  test('of a long text takes a paragraph out of its chapter before another one gets it', () => {
    const book = { ...PROJECT, chapters: ['x', 'y', 'z'].map((key) => long(key, 1900)) }
    const up = moveParagraph(book, 'y0', -1).project
    expect(saves(book, up)).toEqual([
      ['x undefined', 'y 1899', 'z undefined'],
      ['x 1901', 'y undefined', 'z undefined'],
    ])
    // Two chapters that exchange paragraphs are both sent without them first.
    const exchanged = moveParagraph(moveParagraph(up, 'x1899', 1).project, 'x1899', 1).project
    expect(saves(book, exchanged)).toEqual([
      ['x 1899', 'y undefined', 'z undefined'],
      ['x undefined', 'y 1900', 'z undefined'],
      ['x 1900', 'y undefined', 'z undefined'],
    ])
  })

  test('sends no empty paragraphs', () => {
    const added = addParagraphs(PROJECT, 'd', [paragraphOf('  ')]).project
    expect(changesOf(PROJECT, added)?.chapters?.[1]?.paragraphs?.map(({ key }) => key)).toEqual(['d'])
  })

  test.each<[string, Project]>([
    ['a text', changeParagraph(PROJECT, 'd', { text: 'x' })],
    ['a move between chapters', moveParagraph(PROJECT, 'c', 1).project],
    ['a chapter that is gone', removeChapter(PROJECT, 'one')],
    ['a new chapter', beginChapter(PROJECT, 'b', 'New')],
    ['an order', moveChapter(PROJECT, 'two', -1)],
    ['a cast', changeCast(PROJECT, [])],
  ])('that was kept in the browser becomes the same project again: %s', (_, now) => {
    const kept = JSON.parse(JSON.stringify(changesOf(PROJECT, now)))
    expect(withChanges(PROJECT, kept)).toEqual(now)
  })
})

test('of a project that is gone the chapters come back whose text was changed, with who speaks in them', () => {
  const changes = changesOf(PROJECT, changeParagraph(PROJECT, 'b', { text: 'x' }))!
  const { chapters, speakers } = rescued(changes)!
  expect([chapters.map(({ key, paragraphs }) => [key, paragraphs.length]), speakers]).toEqual([
    [['one', 3]],
    [{ name: 'ANNA', settings: {} }],
  ])
  expect(rescued({ name: 'x', chapters: [{ key: 'one', title: 'One', settings: {} }] })).toBeNull()
})

test('an imported script has speakers, and what stands in brackets behind a name is a style where there is one', () => {
  const chapters = [{ title: 'Act', paragraphs: ['It is night.', 'ANNA (softly): Come in.'] }]
  const [styled, plain, whole] = [
    projectChapters(chapters, ['ANNA'], true),
    projectChapters(chapters, ['ANNA'], false),
    projectChapters(chapters, [], true),
  ].map(([chapter]) => chapter!.paragraphs.map(({ text, speaker, settings }) => [text, speaker, settings]))
  expect(styled).toEqual([
    ['It is night.', null, {}],
    ['Come in.', 'ANNA', { inputs: { style_instruction: 'softly' } }],
  ])
  expect([plain?.[1], whole?.[1]]).toEqual([
    ['Come in.', 'ANNA', {}],
    ['ANNA (softly): Come in.', null, {}],
  ])
})
