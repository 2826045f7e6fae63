/** What the modules look for in a page when they are loaded, for tests without one. Import it first. */
Object.assign(globalThis, { document: { hidden: false, baseURI: 'http://127.0.0.1/', addEventListener: () => undefined } });
