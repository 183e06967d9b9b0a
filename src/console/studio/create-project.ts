import { ask } from '../api/ask.ts'
import { createProject, saveProject } from '../operations.ts'
import type { Project } from './model/project.ts'
import { changesOf, nextStep } from './model/save.ts'

type SaveVariables = Parameters<NonNullable<typeof saveProject.types>>[0]

/** Makes a project of all of this; a long one takes several requests. @returns its id @throws ApiError */
export async function createWhole({ name, ...content }: Project): Promise<string> {
  const { createProject: made } = await ask(createProject, { name })
  const whole: Project = { name, ...content }
  let saved: Project = { name, settings: {}, speakers: [], chapters: [] }
  let revision = made.revision
  while (changesOf(saved, whole) !== null) {
    const next = nextStep(saved, whole)
    const variables = { id: made.id, revision, ...changesOf(saved, next) } as SaveVariables
    const { saveProject: answer } = await ask(saveProject, variables)
    if (answer.__typename === 'Project') revision = answer.revision
    saved = next
  }
  return made.id
}
