import type { Project } from './project.ts'

/** What can be undone, as many steps as a day of writing has. */
const MAX_STEPS = 500

export interface History {
  readonly project: Project
  readonly past: readonly Project[]
  readonly future: readonly Project[]
  /** Changes with the same key are undone as one: the letters of a paragraph, one after the other. */
  readonly key: string | null
}

export const begun = (project: Project): History => ({ project, past: [], future: [], key: null })

export function changed(history: History, project: Project, key: string | null = null): History {
  if (project === history.project) return history
  const isSame = key !== null && key === history.key
  const past = isSame ? history.past : [...history.past, history.project].slice(-MAX_STEPS)
  return { project, past, future: [], key }
}

export function undone({ project, past, future }: History): History | null {
  const before = past.at(-1)
  return before === undefined
    ? null
    : { project: before, past: past.slice(0, -1), future: [project, ...future], key: null }
}

export function redone({ project, past, future }: History): History | null {
  const [next, ...rest] = future
  return next === undefined ? null : { project: next, past: [...past, project], future: rest, key: null }
}
