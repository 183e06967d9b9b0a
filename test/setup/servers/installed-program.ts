import { accessSync, constants } from 'node:fs'
import { join } from 'node:path'

const FOLDERS = [...(process.env.PATH ?? '').split(':'), '/usr/sbin']

const isProgram = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Where a program of this name is installed; undefined where it is not. */
export const installedProgram = (name: string): string | undefined =>
  FOLDERS.map((folder) => join(folder, name)).find(isProgram)
