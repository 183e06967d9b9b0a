import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { helpPages } from './help-pages.ts'
import { splitOperations } from './split-operations.ts'

const SOURCE = fileURLToPath(new URL('../src/console', import.meta.url))
const TARGET = fileURLToPath(new URL('../src/generated/console', import.meta.url))
/** Smaller files gain nothing. */
const MIN_COMPRESSED_BYTES = 1024

/**
 * Builds the web console, with each file compressed as well. Its addresses are relative: a proxy's path is known only when it is served.
 * It is the same whatever NODE_ENV says: Vite would write names of files and lines into a page that is built in development.
 * `hasDesignPage` adds /console/design, which shows the design language: with CONSOLE_DESIGN=1 in the environment, and in tests.
 * @returns whether it did: without development packages there is no Vite, and what was built before stays
 */
export async function buildConsole(
  folder: string = TARGET,
  hasDesignPage = process.env.CONSOLE_DESIGN === '1',
): Promise<boolean> {
  const vite = await loadVite()
  if (vite === null) return false
  await vite.build({
    root: SOURCE,
    base: './',
    configFile: false,
    plugins: [splitOperations(), helpPages()],
    logLevel: 'warn',
    define: { 'process.env.NODE_ENV': '"production"', HAS_DESIGN_PAGE: String(hasDesignPage) },
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact', development: false } },
    build: {
      outDir: folder,
      emptyOutDir: true,
      target: 'es2024',
      modulePreload: { polyfill: false },
      assetsInlineLimit: 0,
      reportCompressedSize: false,
      // One file of all that a first visit loads: it compresses better than parts, which move with what screens share.
      rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'first', tags: ['$initial'] }] } } },
    },
  })
  for (const file of globSync('assets/*.{js,css,svg}', { cwd: folder })) compress(join(folder, file))
  return true
}

/** Null if Vite is not installed; any other failure is thrown. */
async function loadVite(): Promise<typeof import('vite') | null> {
  try {
    return await import('vite')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND') return null
    throw error
  }
}

function compress(file: string): void {
  const content = readFileSync(file)
  if (content.length < MIN_COMPRESSED_BYTES) return
  writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }))
  writeFileSync(`${file}.br`, brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 10 } }))
}
