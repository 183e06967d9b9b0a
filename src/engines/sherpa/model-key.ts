import { DEFAULT_SLOTS, DEFAULT_THREADS } from '../engine-block.ts'

/** Endpoints with the same key share processes. Pure. @param block without defaults */
export function modelKey(block: Readonly<Record<string, unknown>>): string {
  const { family, model_dir, files, threads = DEFAULT_THREADS, slots = DEFAULT_SLOTS } = block
  return JSON.stringify([family, model_dir, Object.entries(files ?? {}).sort(), threads, slots])
}
