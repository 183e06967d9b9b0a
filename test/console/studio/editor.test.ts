import { beforeAll, beforeEach, expect, test, vi } from 'vitest'
import type { Editor } from '../../../src/console/studio/editor/editor.ts'
import { changeParagraph } from '../../../src/console/studio/model/edit.ts'
import { type Paragraph, type Project, paragraphOf } from '../../../src/console/studio/model/project.ts'

type Variables = Partial<Project> & { readonly revision: number; readonly paragraphs: readonly string[] }
type Answer = Readonly<Record<string, unknown>>

/** The project as its service has it: it gives back settings in an order of its own, and no empty paragraphs. */
let stored: Project & { revision: number }
let jobs: string[]
/** Names of the operations in their order. */
let asked: string[]
/** The network does this with the next answers of an operation: it loses them, or holds them back. */
let fate: Record<string, () => Promise<void>>

const PROJECT: Project = {
  ...{ name: 'Book', settings: {}, speakers: [] },
  chapters: [{ key: 'one', title: 'One', settings: {}, paragraphs: [paragraphOf('First.', { key: 'a' })] }],
}

const sortedKeys = ({ inputs, ...rest }: Paragraph['settings']) => ({
  ...rest,
  ...(inputs && { inputs: Object.fromEntries(Object.entries(inputs).toSorted()) }),
})

const answers: Record<string, (variables: Variables) => Answer> = {
  SaveProject: ({ revision, name, settings, speakers, chapters }) => {
    if (revision !== stored.revision)
      return { saveProject: { __typename: 'ProjectConflictError', message: 'Saved.', savedBy: 'other@example.com' } }
    const known = new Map(stored.chapters.map((chapter) => [chapter.key, chapter.paragraphs]))
    stored = {
      ...{ name: name ?? stored.name, settings: settings ?? stored.settings, speakers: speakers ?? stored.speakers },
      chapters: (chapters ?? stored.chapters).map((chapter) => ({
        ...chapter,
        paragraphs: chapter.paragraphs ?? known.get(chapter.key) ?? [],
      })),
      revision: revision + 1,
    }
    return { saveProject: { __typename: 'Project', id: 'prj', revision: stored.revision } }
  },
  OpenProject: () => ({
    project: {
      ...{ id: 'prj', name: stored.name, revision: stored.revision, settings: stored.settings },
      speakers: stored.speakers,
      chapters: stored.chapters.map(({ paragraphs, ...chapter }) => ({
        ...chapter,
        paragraphCount: paragraphs.length,
      })),
    },
  }),
  ProjectRevision: () => ({ project: { id: 'prj', revision: stored.revision, updatedBy: 'other@example.com' } }),
  ProjectTexts: () => ({
    project: {
      ...{ id: 'prj', revision: stored.revision },
      chapters: stored.chapters.map(({ key, paragraphs }) => ({
        key,
        paragraphs: paragraphs.map((one) => ({ ...one, settings: sortedKeys(one.settings) })),
      })),
    },
  }),
  ProjectTakes: () => ({
    project: {
      id: 'prj',
      chapters: stored.chapters.map(({ key, paragraphs }) => ({
        key,
        paragraphs: paragraphs.map((one) => ({
          key: one.key,
          takes: jobs.map((jobId) => ({ jobId, isChosen: false, isCurrent: true, job: { status: 'QUEUED' } })),
        })),
      })),
    },
  }),
  SpeakParagraphs: ({ paragraphs }) => {
    const results = paragraphs.map((key) => {
      jobs.unshift(`job${jobs.length}`)
      return { key, jobId: jobs[0], error: null }
    })
    return { speakParagraphs: { __typename: 'SpeakParagraphsSuccess', results, remaining: 0 } }
  },
}

const lost = async (): Promise<void> => {
  throw new TypeError('The connection was lost.')
}

/** An answer that comes when the returned function is called. */
function held(operation: string): () => void {
  const { promise, resolve } = Promise.withResolvers<void>()
  fate[operation] = () => promise
  return resolve
}

let modules: {
  readonly Editor: typeof Editor
  readonly loadProject: (id: string) => Promise<ConstructorParameters<typeof Editor>[0]>
}

beforeAll(async () => {
  vi.stubGlobal('document', { hidden: false })
  vi.stubGlobal('location', new URL('https://sonant.test/console'))
  vi.stubGlobal('addEventListener', () => {})
  vi.stubGlobal('removeEventListener', () => {})
  vi.stubGlobal('fetch', async (_: string, { body }: { body: string }) => {
    const { query, variables } = JSON.parse(body)
    const operation = /(?:query|mutation) (\w+)/.exec(query)![1]!
    asked.push(operation)
    const answer = JSON.stringify({ data: answers[operation]!(variables) })
    const { [operation]: wait } = fate
    delete fate[operation]
    await wait?.()
    return new Response(answer)
  })
  const { Editor } = await import('../../../src/console/studio/editor/editor.ts')
  const { loadProject } = await import('../../../src/console/studio/editor/open-project.ts')
  modules = { Editor, loadProject }
})

beforeEach(() => {
  stored = { ...PROJECT, revision: 1 }
  jobs = []
  asked = []
  fate = {}
})

async function opened(): Promise<Editor> {
  const editor = new modules.Editor(await modules.loadProject('prj'))
  asked = []
  return editor
}

const write = (editor: Editor, text: string): void => editor.setText('a', text, 'insertText')
const state = (editor: Editor) => [editor.isSaved.peek(), editor.conflict.peek()?.savedBy ?? null]
const saves = () => asked.filter((name) => name === 'SaveProject').length

test('of several who wait for a save, one saves what was written meanwhile', async () => {
  const editor = await opened()
  const release = held('SaveProject')
  write(editor, 'First. Second.')
  const flushed = [editor.flush()]
  write(editor, 'First. Second. Third.')
  flushed.push(editor.flush(), editor.flush())
  release()
  await Promise.all(flushed)
  expect([...state(editor), saves(), stored.chapters[0]!.paragraphs[0]!.text]).toEqual([
    ...[true, null, 2],
    'First. Second. Third.',
  ])
})

test('saves whose answers were lost are known again, whichever the service has, and another’s are not', async () => {
  const editor = await opened()
  const inputs = { style: 'calm', speed: 1 }
  editor.change(changeParagraph(editor.project.peek(), 'a', { settings: { inputs } }))
  fate.SaveProject = lost
  await expect(editor.flush()).rejects.toMatchObject({ code: 'OFFLINE' })
  // The second one does not come as far as the service.
  write(editor, 'First. Second.')
  const { SaveProject: save } = answers
  answers.SaveProject = () => ({})
  fate.SaveProject = lost
  await expect(editor.flush()).rejects.toMatchObject({ code: 'OFFLINE' })
  answers.SaveProject = save!
  write(editor, 'First. Second. Third.')
  await editor.flush()
  expect([...state(editor), stored.chapters[0]!.paragraphs[0]]).toEqual([
    ...[true, null],
    { ...paragraphOf('First. Second. Third.', { key: 'a', settings: { inputs } }) },
  ])
  stored = { ...stored, name: 'Theirs', revision: stored.revision + 1 }
  write(editor, 'Mine.')
  await expect(editor.flush()).rejects.toMatchObject({ code: 'CONFLICT' })
  await expect(editor.flush()).rejects.toMatchObject({ code: 'CONFLICT' })
  expect(state(editor)).toEqual([false, 'other@example.com'])
})

test('who saves the same as another has no conflict', async () => {
  const editor = await opened()
  write(editor, 'Same.')
  const chapters = [{ ...stored.chapters[0]!, paragraphs: [paragraphOf('Same.', { key: 'a' })] }]
  stored = { ...stored, chapters, revision: 7 }
  await editor.flush()
  expect([...state(editor), editor.revision]).toEqual([true, null, 7])
})

test('a project that is deleted while it is written in says so, and is let go once there is a copy', async () => {
  const editor = await opened()
  write(editor, 'Mine.')
  const { SaveProject: save } = answers
  answers.SaveProject = () => ({
    saveProject: { __typename: 'RequestError', code: 'NOT_FOUND', message: 'No project has this ID.' },
  })
  await expect(editor.flush()).rejects.toMatchObject({ code: 'NOT_FOUND' })
  answers.SaveProject = save!
  expect([editor.conflict.peek(), editor.project.peek().chapters[0]!.paragraphs[0]!.text]).toEqual([
    { savedBy: null, theirs: null },
    'Mine.',
  ])
  await expect(editor.flush()).rejects.toMatchObject({ code: 'CONFLICT' })
  editor.letGo()
  await editor.flush()
  expect(editor.isSaved.peek()).toBe(true)
})

test('where the service is lost in the middle of many paragraphs, those that were begun are counted', async () => {
  const editor = await opened()
  const keys = Array.from({ length: 150 }, (_, at) => `p${at}`)
  const { SpeakParagraphs: speak } = answers
  answers.SpeakParagraphs = (variables) => {
    if (jobs.length > 0) throw new Error('The connection was lost.')
    return speak!(variables)
  }
  const { begun, refused, failure } = await editor.takes.speak(keys)
  answers.SpeakParagraphs = speak!
  expect([begun, refused, failure?.code]).toEqual([100, [], 'OFFLINE'])
})

test('a paragraph that was just sent stays so where an older answer comes later', async () => {
  const editor = await opened()
  const release = held('ProjectTakes')
  editor.takes.load(editor.project.peek())
  await editor.takes.speak(['a'])
  expect(editor.takes.of('a').peek()).toMatchObject([{ jobId: 'job0', status: 'QUEUED' }])
  const before = editor.takes.changes.peek()
  release()
  await vi.waitFor(() => expect(editor.takes.changes.peek()).toBeGreaterThan(before))
  expect(editor.takes.of('a').peek()).toMatchObject([{ jobId: 'job0', status: 'QUEUED' }])
})

const theirs = (text: string): void => {
  const chapters = [{ ...stored.chapters[0]!, paragraphs: [paragraphOf(text, { key: 'a' })] }]
  stored = { ...stored, chapters, revision: stored.revision + 1 }
}
const textOf = (editor: Editor) => editor.project.peek().chapters[0]!.paragraphs[0]!.text

test('what another has saved is shown where all is saved, and Undo does not overwrite it', async () => {
  const editor = await opened()
  write(editor, 'Mine.')
  await editor.flush()
  expect(await editor.look()).toBe(null)
  theirs('Theirs.')
  expect(await editor.look()).toBe('other@example.com')
  expect([textOf(editor), editor.canUndo.peek(), ...state(editor)]).toEqual(['Theirs.', false, true, null])
  await editor.flush()
  expect([saves(), stored.chapters[0]!.paragraphs[0]!.text]).toEqual([1, 'Theirs.'])
})

test('what is written while that is looked for stays, and its save says who has saved', async () => {
  const editor = await opened()
  theirs('Theirs.')
  const release = held('OpenProject')
  const looked = editor.look()
  await vi.waitFor(() => expect(asked).toContain('OpenProject'))
  write(editor, 'Mine.')
  release()
  expect([await looked, await editor.look(), textOf(editor)]).toEqual([null, null, 'Mine.'])
  await expect(editor.flush()).rejects.toMatchObject({ code: 'CONFLICT' })
  expect([...state(editor), stored.chapters[0]!.paragraphs[0]!.text]).toEqual([false, 'other@example.com', 'Theirs.'])
})

test('a project that another has deleted says so before anything is written', async () => {
  const editor = await opened()
  const { ProjectRevision: revision } = answers
  answers.ProjectRevision = () => ({ project: null })
  expect(await editor.look()).toBe(null)
  answers.ProjectRevision = revision!
  expect(editor.conflict.peek()).toEqual({ savedBy: null, theirs: null })
})
