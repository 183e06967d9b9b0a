import { isolated } from './format.ts'

/** An API key as it is called, or was before it was deleted. @param name null: no record has it any more */
export const keyName = (name: string | null | undefined, isDeleted: boolean): string => {
  if (name == null) return 'A deleted key'
  return isDeleted ? `${isolated(name)}, deleted` : name
}
