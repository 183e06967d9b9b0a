import { DEFAULT_SLOTS, DEFAULT_THREADS } from '../engine-block.ts'

/**
 * What of an `engine` block a model is started with: endpoints with the same key speak with the processes of one model. Pure.
 * @param block as it is stored: it may lack what has a default
 */
export function modelKey(block: Readonly<Record<string, unknown>>): string {
  const { family, model_dir, files, threads = DEFAULT_THREADS, slots = DEFAULT_SLOTS } = block
  return JSON.stringify([family, model_dir, Object.entries(files ?? {}).sort(), threads, slots])
}
