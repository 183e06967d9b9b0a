import { ask } from '../api/ask.ts'
import { createProject, saveProject } from '../operations.ts'
import type { Project } from './model/project.ts'
import { changesOf, stepsOf } from './model/save.ts'

type SaveVariables = Parameters<NonNullable<typeof saveProject.types>>[0]

/** Makes a project of all of this; a long one takes several requests. @returns its id @throws ApiError */
export async function createWhole({ name, ...content }: Project): Promise<string> {
  const { createProject: made } = await ask(createProject, { name })
  const empty: Project = { name, settings: {}, speakers: [], chapters: [] }
  const changes = changesOf(empty, { name, ...content })
  let revision = made.revision
  for (const step of changes === null ? [] : stepsOf(empty, changes)) {
    const { saveProject: answer } = await ask(saveProject, { id: made.id, revision, ...step } as SaveVariables)
    if (answer.__typename === 'Project') revision = answer.revision
  }
  return made.id
}
