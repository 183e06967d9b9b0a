import { allParagraphs, type Caret, type Project } from './project.ts'

/** The steps that can be undone, as many as a day of writing has. */
const MAX_STEPS = 500
/** Who types on after such a pause begins another step. */
const STEP_PAUSE_MS = 1000

const INSERTS: readonly string[] = ['insertText', 'insertCompositionText']
const DELETES: readonly string[] = ['deleteContentBackward', 'deleteContentForward']

export interface History {
  readonly project: Project
  readonly past: readonly Project[]
  readonly future: readonly Project[]
  /** Changes with the same key are undone as one: the letters of a paragraph, one after the other. */
  readonly key: string | null
  readonly changedAt: number
}

export const begun = (project: Project): History => ({ project, past: [], future: [], key: null, changedAt: 0 })

export function changed(
  history: History,
  project: Project,
  key: string | null = null,
  changedAt: number = Date.now(),
): History {
  if (project === history.project) return history
  const isSame = key !== null && key === history.key && changedAt - history.changedAt < STEP_PAUSE_MS
  const past = isSame ? history.past : [...history.past, history.project].slice(-MAX_STEPS)
  return { project, past, future: [], key, changedAt }
}

/** The next change is a step of its own. */
export const ended = (history: History): History => ({ ...history, key: null })

/** The key of what is typed in a field. @param inputType of the event; what is neither typed nor deleted is a step of its own */
export function typingKey(field: string, inputType: string): string | null {
  if (INSERTS.includes(inputType)) return `insert ${field}`
  return DELETES.includes(inputType) ? `delete ${field}` : null
}

export function undone({ project, past, future, changedAt }: History): History | null {
  const before = past.at(-1)
  return before === undefined
    ? null
    : { project: before, past: past.slice(0, -1), future: [project, ...future], key: null, changedAt }
}

export function redone({ project, past, future, changedAt }: History): History | null {
  const [next, ...rest] = future
  return next === undefined ? null : { project: next, past: [...past, project], future: rest, key: null, changedAt }
}

/** The place where a project differs first from the one before it, behind what is other there; null: its paragraphs are the same. */
export function caretOf(before: Project, project: Project): Caret | null {
  const [old, now] = [allParagraphs(before), allParagraphs(project)]
  const index = now.findIndex((one, at) => one !== old[at])
  const paragraph = index < 0 ? (now.length < old.length ? now.at(-1) : undefined) : now[index]
  if (paragraph === undefined) return null
  const { key, text } = paragraph
  const other = old.find((one) => one.key === key)?.text ?? ''
  const most = Math.min(text.length, other.length)
  let begin = 0
  while (begin < most && text[begin] === other[begin]) begin++
  let end = 0
  while (end < most - begin && text.at(-1 - end) === other.at(-1 - end)) end++
  return { key, caret: text.length - end }
}
