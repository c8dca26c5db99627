// What the build makes of the text of a chunk, so that a short command does not pay for what it does not use.

/**
 * What a chunk imports is loaded where it is first used, and not where the chunk begins: most commands use little of what they could. A package that is CommonJS is wrapped for it.
 * `loads` are those imports by their names, which the code calls; whoever writes it down defines them.
 */
export const lazily = (code) => {
  const loads = new Map()
  const wrapped = String.raw`\(0,import_chunk_\w+\.__toESM\)\(\(0,import_chunk_\w+\.require_\w+\)\(\)(?:,1)?\)`
  const rest = code.replace(new RegExp(String.raw`var (import_\w+)=(require\("[^"]+"\)|__toESM\(require\("[^"]+"\)\)|${wrapped});`, 'g'), (_, name, load) => {
    loads.set(name, load)
    return ''
  })
  if (loads.size === 0) return { code: rest, loads }
  const called = (text) => text.replace(new RegExp(`\\b(${[...loads.keys()].join('|')})\\b(?=[.)\\[,;}])`, 'g'), '($1())')
  return { code: called(rest), loads: new Map([...loads].map(([name, load]) => [name, called(load)])) }
}

const definitions = (loads) => [...loads].map(([name, load]) => `var ${name}_,${name}=()=>${name}_??=${load};`).join('')

/** A chunk as a file of its own. */
export const asFile = ({ code, loads }) => `${definitions(loads)}${code}`

/**
 * Chunks as one file: each a function that is called at its first use. What several of them load is defined once, for all. The file is a module, and for compiled-by-hand.ts, which runs it as a
 * script, a function: nothing has to be put around a text of that size.
 */
export const asPack = (parts) => {
  const shared = new Map()
  const functions = [...parts].map(([name, { code, loads }]) => {
    const own = new Map()
    const names = new Map()
    for (const [local, load] of loads) {
      const [, id] = /^(?:load|require|require\("[^"]+"\))\("([^"]+)"\)$/.exec(load) ?? []
      if (id === undefined) own.set(local, load)
      else {
        names.set(local, `lazy_${id.replace(/\W/g, '_')}`)
        shared.set(names.get(local), load)
      }
    }
    const text = `${definitions(own)}${exporting(code)}`
    const renamed = names.size === 0 ? text : text.replace(new RegExp(`\\b(${[...names.keys()].join('|')})\\b`, 'g'), (local) => names.get(local))
    return `"${name}":(function(module,exports){${renamed}})`
  })
  const load =
    'const loaded={},load=name=>{let module=loaded[name];if(module===void 0){module=loaded[name]={exports:{}};chunks[name](module,module.exports)}return module.exports};'
  const text = `${load}${definitions(shared)}const chunks={${functions.join(',\n')}};module.exports=load`
  return `(pack=>typeof module==="object"?pack(require,module):pack)((require,module)=>{${text}});\n`
}

/**
 * What a chunk of a pack gives to the others, as one object. esbuild writes two, with a property made for each name in both, and the functions that make them: they serve those who do not
 * know what they are going to be given, and cost a short command a millisecond.
 */
const exporting = (code) => {
  const given = /var stdin_exports=\{\};__export\(stdin_exports,\{((?:[\w$]+:\(\)=>[\w$.()]+,?)*)\}\);module\.exports=__toCommonJS\(stdin_exports\);/
  const plain = code
    .replace(given, (_, names) => `module.exports={${names.replace(/([\w$]+):\(\)=>([\w$.()]+)/g, 'get $1(){return $2}')}};`)
    .replace(/0&&\(module\.exports=\{[^{}]*\}\);\s*$/, '')
  if (plain.includes('stdin_exports')) throw new Error('esbuild writes the exports of a chunk in another way')
  const [helpers] = /^(?:var __\w+=[^;]*;)*/.exec(plain)
  let rest = plain.slice(helpers.length)
  // From the last: they use each other.
  for (const [helper, name] of [...helpers.matchAll(/var (__\w+)=[^;]*;/g)].toReversed()) if (new RegExp(`\\b${name}\\b`).test(rest)) rest = helper + rest
  return rest
}
